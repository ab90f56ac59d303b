import { setImmediate } from "node:timers/promises";
import type { Db } from "../database/database.ts";
import { readInBatches } from "../database/read-in-batches.ts";
import type { LinksTable } from "../database/schema.ts";

/**
 * Sets of links, for reports of clicks, which know links only by their ids.
 *
 * 1. Sets can be large, so they are read in batches that yield to other work: on SQLite, queries run in the thread that
 *    answers visitors.
 */

/** Links of a set at most, and links whose folders and tags one call reads. */
export const linkSetMax = 200_000;
/** Links in one batch: about 5 ms of SQLite. */
const partLinksMax = 5_000;
/** Ids in one query; both engines accept more parameters. */
const namedLinksMax = 1_000;

/** The links with one of these values in this field, or with one of these tags. */
export type LinkSet = { by: "folderId" | "tagId" | "tenantId" | "partnerId" | "programId"; values: readonly string[] };

/** The ids of the workspace's links in a set; undefined for more than linkSetMax. */
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

/** Queries the links after this one in the order of an index, so that each batch reads only its own rows. */
type LinksAfter = (last: string) => { limit(rows: number): { execute(): Promise<{ id: string }[]> } };

/** One query per tag: a batch for several tags would read and sort the links of all of them first. */
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

/** The columns of a link that a report shows. */
export type ShownLink = Pick<
  LinksTable,
  "id" | "key" | "url" | "createdAt" | "title" | "comments" | "folderId" | "partnerId"
> & { domain: string; isOnInstanceDomain: boolean };

/** The workspace's links with these ids, by id. */
export async function findShownLinks(
  db: Db,
  workspaceId: number,
  ids: readonly string[],
): Promise<Map<string, ShownLink>> {
  const rows = await readInBatches(ids, namedLinksMax, (part) =>
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

/** A link, and its folder or one of its tags. */
export type GroupedLink = { linkId: string; groupId: string };

/** The current folders of these links. */
export async function foldersOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<GroupedLink[]> {
  const rows = await readInBatches(ids, namedLinksMax, (part) =>
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

/** The tags of these links, one row for each: at most tagsPerLinkMax per link. */
export async function tagsOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<GroupedLink[]> {
  return await readInBatches(ids, namedLinksMax, (part) =>
    db
      .selectFrom("linkTags")
      .innerJoin("tags", "tags.id", "linkTags.tagId")
      .select(["linkTags.linkId", "linkTags.tagId as groupId"])
      .where("tags.workspaceId", "=", workspaceId)
      .where("linkTags.linkId", "in", part)
      .execute(),
  );
}
