import { setImmediate } from "node:timers/promises";
import type { Db } from "../database/database.ts";
import type { LinksTable } from "../database/schema.ts";

/**
 * Sets of links, for those who ask elsewhere by the ids of links: reports of clicks.
 *
 * 1. Sets may be large, so they are read in parts, and other work has its turn between two of them: on SQLite a query
 *    is done in the thread that answers visitors.
 */

/** The most links of a set, and of those whose folders and tags are asked about. */
export const linkSetMax = 200_000;
/** Links read in one turn: some 5 ms of SQLite. */
const partLinksMax = 5_000;
/** Identifiers named in one query; both engines allow more parameters than that. */
const namedLinksMax = 1_000;

/** What brings links into a set: their folder, a tag, or a field of theirs. */
export type LinkSet = { by: "folderId" | "tagId" | "tenantId" | "partnerId" | "programId"; values: readonly string[] };

/** The ids of the workspace's links in a set; undefined when they are more than linkSetMax. */
export async function linkIdsOf(db: Db, workspaceId: number, { by, values }: LinkSet): Promise<string[] | undefined> {
  const ids = new Set<string>();
  const queries =
    by === "tagId" ? values.map((tagId) => tagged(db, workspaceId, tagId)) : [having(db, workspaceId, by, values)];
  for (const after of queries) {
    for (let last: string | undefined = ""; last !== undefined; ) {
      const rows: { id: string }[] = await after(last).limit(partLinksMax).execute();
      for (const { id } of rows) ids.add(id);
      if (ids.size > linkSetMax) return undefined;
      last = rows.length < partLinksMax ? undefined : rows.at(-1)?.id;
      if (last !== undefined) await setImmediate();
    }
  }
  return [...ids];
}

/** The links after this one, in the order of an index, so that each part reads its own rows alone. */
type LinksAfter = (last: string) => { limit(rows: number): { execute(): Promise<{ id: string }[]> } };

/** Tag by tag: a part of the links of several would have to begin with all of them, to sort them. */
function tagged(db: Db, workspaceId: number, tagId: string): LinksAfter {
  const query = db
    .selectFrom("linkTags")
    .innerJoin("tags", "tags.id", "linkTags.tagId")
    .select("linkTags.linkId as id")
    .where("tags.workspaceId", "=", workspaceId)
    .where("linkTags.tagId", "=", tagId)
    .orderBy("linkTags.linkId");
  return (last) => query.where("linkTags.linkId", ">", last);
}

function having(
  db: Db,
  workspaceId: number,
  by: Exclude<LinkSet["by"], "tagId">,
  values: readonly string[],
): LinksAfter {
  const query = db
    .selectFrom("links")
    .select("id")
    .where("workspaceId", "=", workspaceId)
    .where(by, "in", values)
    .orderBy("id");
  return (last) => query.where("id", ">", last);
}

/** What a report says of a link. */
export type ShownLink = Pick<
  LinksTable,
  "id" | "key" | "url" | "createdAt" | "title" | "comments" | "folderId" | "partnerId"
> & { domain: string; isOnInstanceDomain: boolean };

/** Those of the links that the workspace has, by id. */
export async function findShownLinks(
  db: Db,
  workspaceId: number,
  ids: readonly string[],
): Promise<Map<string, ShownLink>> {
  const rows = await inBatches(ids, (part) =>
    db
      .selectFrom("links")
      .innerJoin("domains", "domains.id", "links.domainId")
      .select(["links.id", "links.key", "links.url", "links.createdAt", "links.title", "links.comments"])
      .select(["links.folderId", "links.partnerId", "domains.slug as domain", "domains.isInstance"])
      .where("links.workspaceId", "=", workspaceId)
      .whereRef("domains.slug", "<>", "domains.id")
      .where("links.id", "in", part)
      .execute(),
  );
  return new Map(rows.map(({ isInstance, ...link }) => [link.id, { ...link, isOnInstanceDomain: isInstance === 1 }]));
}

/** A link and one of the folders or tags it is in. */
export type GroupedLink = { linkId: string; groupId: string };

/** The folders of those links that are in one now. */
export async function foldersOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<GroupedLink[]> {
  const rows = await inBatches(ids, (part) =>
    db
      .selectFrom("links")
      .select(["id as linkId", "folderId as groupId"])
      .where("workspaceId", "=", workspaceId)
      .where("folderId", "is not", null)
      .where("id", "in", part)
      .execute(),
  );
  return rows.flatMap(({ linkId, groupId }) => (groupId === null ? [] : [{ linkId, groupId }]));
}

/** The tags of those links, a row for each. Bound: tagsPerLinkMax for each link. */
export async function tagsOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<GroupedLink[]> {
  return await inBatches(ids, (part) =>
    db
      .selectFrom("linkTags")
      .innerJoin("tags", "tags.id", "linkTags.tagId")
      .select(["linkTags.linkId", "linkTags.tagId as groupId"])
      .where("tags.workspaceId", "=", workspaceId)
      .where("linkTags.linkId", "in", part)
      .execute(),
  );
}

async function inBatches<Row>(
  ids: readonly string[],
  read: (part: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += namedLinksMax) {
    if (start > 0) await setImmediate();
    for (const row of await read(ids.slice(start, start + namedLinksMax))) rows.push(row);
  }
  return rows;
}
