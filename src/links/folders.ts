import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { requireFolderWriter } from "../access/folder-access.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { applyPatch } from "../base/apply-patch.ts";
import { newId } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import { changeInBatches } from "../database/change-in-batches.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { FolderAccess, FoldersTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { foldName, nameContains, writeName } from "./object-names.ts";

/**
 * Folders: a link is in at most one. Names are unique in a workspace, regardless of case.
 *
 * Only owners change a folder whose accessLevel is not "write" and the links in it: see access/folder-access.ts.
 */

export const folderNameCharactersMax = 190;
export const folderDescriptionCharactersMax = 500;
/** Folders that one workspace may have. */
const foldersPerWorkspaceMax = 1_000;

/** A folder; instants are milliseconds since the epoch. */
export type Folder = Omit<Selectable<FoldersTable>, "workspaceId" | "foldedName">;

/** The fields of a folder that a caller writes. */
type FolderFields = { name: string; description: string | null; accessLevel: FolderAccess | null };

/** Changes of a folder; undefined leaves a field alone. */
type FolderChanges = { [Field in keyof FolderFields]?: FolderFields[Field] | undefined };

/** Filters of folders; absent ones do not apply. */
type FolderFilter = {
  /** Part of the name, in any case. */
  search?: string | undefined;
};

type Deps = { db: Db; now: Clock };

/**
 * Creates a folder in the actor's workspace. Throws "conflict" for a name in use, and beyond foldersPerWorkspaceMax.
 */
export async function createFolder({ db, now }: Deps, actor: Actor, fields: FolderFields): Promise<Folder> {
  return await writeName("folderName", fields.name, () =>
    transact(db, async (tx) => {
      await lockWorkspace(tx, actor.workspaceId); // The lock keeps two simultaneous calls from exceeding the bound.
      if ((await countFolders({ db: tx }, actor, {})) >= foldersPerWorkspaceMax) {
        throw new Problem(
          "conflict",
          `This workspace has ${foldersPerWorkspaceMax} folders, which is the limit; delete one first.`,
        );
      }
      const at = now();
      const folder: Folder = { id: newId("fold", at), ...fields, createdAt: at, updatedAt: at };
      const { workspaceId } = actor;
      await tx
        .insertInto("folders")
        .values({ ...folder, workspaceId, foldedName: foldName(fields.name) })
        .execute();
      await emit(tx, eventBy(actor, "folder.created", folder.id, at, { after: decided(folder) }));
      return folder;
    }),
  );
}

/** The actor's folders that match, by age. */
export async function listFolders(
  { db }: Pick<Deps, "db">,
  actor: Actor,
  filter: FolderFilter,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<Folder[]> {
  const rows = await foldersOf(db, actor.workspaceId, filter)
    .selectAll()
    .orderBy("id")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return rows.map(toFolder);
}

/** How many of the actor's folders match. */
export async function countFolders({ db }: Pick<Deps, "db">, actor: Actor, filter: FolderFilter): Promise<number> {
  return await countRows(foldersOf(db, actor.workspaceId, filter));
}

/** The actor's folder with this id. Throws "not_found". */
export async function findFolder({ db }: Pick<Deps, "db">, actor: Actor, id: string): Promise<Folder> {
  const row = await foldersOf(db, actor.workspaceId, {}).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("folder");
  return toFolder(row);
}

/**
 * Changes a folder and returns it; a call without a change records nothing.
 * Throws "not_found"; "forbidden" like requireFolderWriter; "conflict" for a name in use.
 */
export async function updateFolder({ db, now }: Deps, actor: Actor, id: string, input: FolderChanges): Promise<Folder> {
  return await writeName("folderName", input.name, () =>
    transact(db, async (tx) => {
      const before = await lockFolder(tx, actor, id);
      const fields = applyPatch(decided(before), input);
      if (JSON.stringify(fields) === JSON.stringify(decided(before))) return before;
      const at = now();
      await tx
        .updateTable("folders")
        .set({ ...fields, foldedName: foldName(fields.name), updatedAt: at })
        .where("id", "=", id)
        .execute();
      await emit(tx, eventBy(actor, "folder.updated", id, at, { before: decided(before), after: fields }));
      return { ...before, ...fields, updatedAt: at };
    }),
  );
}

/**
 * Deletes a folder; its links stay, without a folder. They leave it in batches, so an interrupted call leaves the
 * folder with fewer links. Throws "not_found"; "forbidden" like updateFolder.
 */
export async function deleteFolder({ db, now }: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  await transact(db, (tx) => lockFolder(tx, actor, id));
  await changeInBatches(db, async (tx, rowsMax) => {
    const part = tx.selectFrom("links").select("id").where("folderId", "=", id).limit(rowsMax);
    const { numUpdatedRows } = await tx
      .updateTable("links")
      .set({ folderId: null })
      .where("id", "in", part)
      .executeTakeFirstOrThrow();
    return numUpdatedRows;
  });
  return await transact(db, async (tx) => {
    const before = await lockFolder(tx, actor, id);
    await tx.deleteFrom("folders").where("id", "=", id).execute();
    await emit(tx, eventBy(actor, "folder.deleted", id, now(), { before: decided(before) }));
    return { id };
  });
}

async function lockFolder(tx: Tx, actor: Actor, id: string): Promise<Folder> {
  await lockWorkspace(tx, actor.workspaceId);
  const folder = await findFolder({ db: tx }, actor, id);
  requireFolderWriter(actor, folder);
  return folder;
}

function foldersOf(db: Db, workspaceId: number, { search = "" }: FolderFilter) {
  const query = db.selectFrom("folders").where("workspaceId", "=", workspaceId);
  return search.trim() === "" ? query : query.where(nameContains(db, search.trim()));
}

function toFolder({ workspaceId: _, foldedName: __, ...folder }: Selectable<FoldersTable>): Folder {
  return folder;
}

function decided({ name, description, accessLevel }: Folder): FolderFields {
  return { name, description, accessLevel };
}
