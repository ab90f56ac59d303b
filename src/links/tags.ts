import { randomInt } from "node:crypto";
import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { applyPatch, type PatchOf } from "../base/apply-patch.ts";
import { newId } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import { changeInBatches } from "../database/change-in-batches.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { type TagColor, type TagsTable, tagColors } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { foldName, nameContains, writeName } from "./object-names.ts";

/** Tags, by which a workspace sorts its links. Names are unique in a workspace, regardless of case. */

export const tagNameCharactersMax = 190;
/** Tags that one workspace may have. */
const tagsPerWorkspaceMax = 5_000;
/** Tags that one link may have, and one filter may name. */
export const tagsPerLinkMax = 100;

/** A tag as the API shows it. */
export type Tag = { id: string; name: string; color: TagColor };

/** The fields that tags can be sorted by. */
export const tagSorts = ["name", "createdAt"] as const;

/** Filters of tags; absent ones do not apply. */
type TagFilter = {
  /** Part of the name, in any case. */
  search?: string | undefined;
  ids?: string[] | undefined;
};

/** The page to return, and its order. */
type TagPage = {
  sortBy: (typeof tagSorts)[number];
  sortOrder: "asc" | "desc";
  /** Counted from 1. */
  page: number;
  pageSize: number;
};

type TagRow = Selectable<TagsTable>;
type Deps = { db: Db; now: Clock };

/**
 * Creates a tag in the actor's workspace, with a random color when the caller names none.
 * Throws "conflict" for a name in use, and beyond tagsPerWorkspaceMax.
 */
export async function createTag(
  { db, now }: Deps,
  actor: Actor,
  { name, color = tagColors[randomInt(tagColors.length)] ?? "blue" }: { name: string; color?: TagColor | undefined },
): Promise<Tag> {
  return await writeName("tagName", name, () =>
    transact(db, async (tx) => {
      await lockWorkspace(tx, actor.workspaceId); // The lock keeps two simultaneous calls from exceeding the bound.
      if ((await countTags({ db: tx }, actor, {})) >= tagsPerWorkspaceMax) {
        throw new Problem(
          "conflict",
          `This workspace has ${tagsPerWorkspaceMax} tags, which is the limit; delete one first.`,
        );
      }
      const at = now();
      const { workspaceId } = actor;
      const row = { id: newId("tag", at), workspaceId, name, foldedName: foldName(name), color, createdAt: at };
      await tx.insertInto("tags").values(row).execute();
      const tag = toTag(row);
      await emit(tx, eventBy(actor, "tag.created", tag.id, at, { after: tag }));
      return tag;
    }),
  );
}

/** The actor's tags that match. */
export async function listTags(
  { db }: Pick<Deps, "db">,
  actor: Actor,
  filter: TagFilter,
  { sortBy, sortOrder, page, pageSize }: TagPage,
): Promise<Tag[]> {
  const rows = await tagsOf(db, actor.workspaceId, filter)
    .selectAll()
    .orderBy(sortBy === "name" ? "foldedName" : "createdAt", sortOrder)
    .orderBy("id", sortOrder)
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return rows.map(toTag);
}

/** The actor's tag with this id. Throws "not_found". */
export async function getTag({ db }: Pick<Deps, "db">, actor: Actor, id: string): Promise<Tag> {
  return await findTag(db, actor, id);
}

/** The number of the actor's tags that match. */
export async function countTags({ db }: Pick<Deps, "db">, actor: Actor, filter: TagFilter): Promise<number> {
  return await countRows(tagsOf(db, actor.workspaceId, filter));
}

/**
 * Changes a tag and returns it; omitted fields stay as they are, and a call without a change records nothing.
 * Throws "not_found"; "conflict" for a name in use.
 */
export async function updateTag(
  { db, now }: Deps,
  actor: Actor,
  id: string,
  changes: PatchOf<Omit<Tag, "id">>,
): Promise<Tag> {
  return await writeName("tagName", changes.name, () =>
    transact(db, async (tx) => {
      await lockWorkspace(tx, actor.workspaceId);
      const before = await findTag(tx, actor, id);
      const after = applyPatch(before, changes);
      if (JSON.stringify(after) === JSON.stringify(before)) return before;
      await tx
        .updateTable("tags")
        .set({ ...after, foldedName: foldName(after.name) })
        .where("id", "=", id)
        .execute();
      await emit(tx, eventBy(actor, "tag.updated", id, now(), { before, after }));
      return after;
    }),
  );
}

/**
 * Deletes a tag, and removes it from its links in batches, so an interrupted call leaves it on fewer links. Throws
 * "not_found".
 */
export async function deleteTag({ db, now }: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  await transact(db, (tx) => findTag(tx, actor, id));
  await changeInBatches(db, async (tx, rowsMax) => {
    const part = tx.selectFrom("linkTags").select("linkId").where("tagId", "=", id).limit(rowsMax);
    const { numDeletedRows } = await tx
      .deleteFrom("linkTags")
      .where("tagId", "=", id)
      .where("linkId", "in", part)
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  });
  return await transact(db, async (tx) => {
    await lockWorkspace(tx, actor.workspaceId);
    const before = await findTag(tx, actor, id);
    await tx.deleteFrom("tags").where("id", "=", id).execute();
    await emit(tx, eventBy(actor, "tag.deleted", id, now(), { before }));
    return { id };
  });
}

function tagsOf(db: Db, workspaceId: number, { search = "", ids }: TagFilter) {
  let query = db.selectFrom("tags").where("workspaceId", "=", workspaceId);
  if (search.trim() !== "") query = query.where(nameContains(db, search.trim()));
  if (ids !== undefined && ids.length > 0) query = query.where("id", "in", ids);
  return query;
}

async function findTag(db: Db, actor: Actor, id: string): Promise<Tag> {
  const row = await db
    .selectFrom("tags")
    .selectAll()
    .where("id", "=", id)
    .where("workspaceId", "=", actor.workspaceId)
    .executeTakeFirst();
  if (row === undefined) throw notFound("tag");
  return toTag(row);
}

function toTag({ id, name, color }: TagRow): Tag {
  return { id, name, color };
}
