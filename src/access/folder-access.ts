import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { FoldersTable } from "../database/schema.ts";
import { type Actor, requireOwner } from "./actor.ts";

/**
 * Folders for owners: those whose accessLevel is not "write". Every member sees them and their links; only owners
 * change the folder, put links into it, and change, move or delete its links.
 */

type Folder = Pick<FoldersTable, "accessLevel">;

/** True for a folder that only owners of its workspace may change. */
function isForOwners({ accessLevel }: Folder): boolean {
  return accessLevel !== "write";
}

/** Throws "forbidden" unless the actor may change the folder and put links into it. */
export function requireFolderWriter(actor: Actor, folder: Folder): void {
  if (isForOwners(folder)) requireOwner(actor);
}

/**
 * Throws "forbidden" unless the actor may change links in these folders. Reads nothing for owners, who may change every
 * link.
 */
export async function requireFolderLinksWriter(
  db: Db,
  actor: Actor,
  folderIds: readonly (string | null)[],
): Promise<void> {
  const filed = [...new Set(folderIds)].filter((id) => id !== null);
  if (actor.role === "owner" || filed.length === 0) return;
  const folders = await db
    .selectFrom("folders")
    .select(["name", "accessLevel"])
    .where("workspaceId", "=", actor.workspaceId)
    .where("id", "in", filed)
    .execute();
  refuseFolder(folders.find(isForOwners));
}

/** Throws "forbidden" unless the actor may change every link of a domain. */
export async function requireDomainLinksWriter(db: Db, actor: Actor, domainId: string): Promise<void> {
  if (actor.role === "owner") return;
  const folders = await db
    .selectFrom("folders")
    .select(["name", "accessLevel"])
    .where("workspaceId", "=", actor.workspaceId)
    // Starts from the folders: most are open, and a domain may have a million links.
    .where((where) => where.or([where("accessLevel", "is", null), where("accessLevel", "<>", "write")]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("links")
          .select("links.id")
          .whereRef("links.folderId", "=", "folders.id")
          .where("links.domainId", "=", domainId),
      ),
    )
    .limit(1)
    .execute();
  refuseFolder(folders.find(isForOwners));
}

function refuseFolder(folder: { name: string } | undefined): void {
  if (folder === undefined) return;
  throw new Problem("forbidden", `Only an owner of this workspace can change the links in the folder ${folder.name}.`);
}
