import { setImmediate } from "node:timers/promises";
import { type AliasedSelectQueryBuilder, sql } from "kysely";
import type { Db } from "../database/database.ts";
import { type Engine, engineOf } from "../database/engine.ts";
import { readInBatches } from "../database/read-in-batches.ts";
import type { LinksTable } from "../database/schema.ts";

/**
 * Sets of links, for reports: the click store knows only the ids of links, so the relational database finds the links of
 * a folder or tag before a report, and their names and groups after it.
 *
 * Sets can be large, so they are read in batches that yield to other work: on SQLite, queries run in the thread that
 * answers visitors.
 */

/** The most links of all sets of a report. A report groups at most as many by folder or tag. */
export const linkSetMax = 200_000;
/** Links read by one query: about 5 ms of SQLite. */
const batchLinksMax = 5_000;
/** Ids named in one query; both engines accept more parameters. */
const batchIdsMax = 1_000;

/** The links with one of these values in this field, or with one of these tags. */
export type LinkSet = { by: "folderId" | "tagId" | "tenantId" | "partnerId" | "programId"; values: readonly string[] };

/** The ids of the workspace's links in a set; undefined when there are more than `linksMax`. */
export async function linkIdsOf(
  db: Db,
  workspaceId: number,
  { by, values }: LinkSet,
  linksMax = linkSetMax,
): Promise<string[] | undefined> {
  const ids = new Set<string>();
  const queries =
    by === "tagId"
      ? values.map((tagId) => linksWithTag(db, workspaceId, tagId))
      : [linksWithValue(db, workspaceId, by, values)];
  for (const linksAfter of queries) {
    for (let last: string | undefined = ""; last !== undefined; ) {
      const batch = await readBatch(db, linksAfter(last));
      for (const id of batch.ids) ids.add(id);
      if (ids.size > linksMax) return undefined;
      last = batch.ids.length < batchLinksMax ? undefined : batch.last;
      if (last !== undefined) await setImmediate();
    }
  }
  return [...ids];
}

/** Queries the links after `last`, in the order of an index, so that each batch reads only its own rows. */
type LinksAfter = (last: string) => Batch;
type Batch = { limit(rows: number): { as(name: "batch"): AliasedSelectQueryBuilder<{ id: string }, "batch"> } };

/** Joined, since a text passes from the reading thread to this one in a hundredth of the time of 5,000 rows. */
const joinedIds: Readonly<Record<Engine, string>> = {
  sqlite: `group_concat("id", ' ')`,
  postgres: `string_agg("id", ' ')`,
};

/** The ids of a batch, and the last of them in the order of the index. */
async function readBatch(db: Db, batch: Batch): Promise<{ ids: string[]; last: string | undefined }> {
  const row = await db
    .selectFrom(batch.limit(batchLinksMax).as("batch"))
    .select((select) => [
      sql<string | null>`${sql.raw(joinedIds[engineOf(db)])}`.as("ids"),
      select.fn.max<string | null>("id").as("last"),
    ])
    .executeTakeFirst();
  return { ids: row?.ids?.split(" ") ?? [], last: row?.last ?? undefined };
}

/** One query per tag: a batch for several tags would read and sort the links of all of them first. */
function linksWithTag(db: Db, workspaceId: number, tagId: string): LinksAfter {
  const query = db
    .selectFrom("linkTags")
    .innerJoin("tags", "tags.id", "linkTags.tagId")
    .select("linkTags.linkId as id")
    .where("tags.workspaceId", "=", workspaceId)
    .where("linkTags.tagId", "=", tagId)
    .orderBy("linkTags.linkId");
  return (last) => query.where("linkTags.linkId", ">", last);
}

function linksWithValue(
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

/** The workspace's links with these ids, by id, without those of deleted domains. */
export async function findShownLinks(
  db: Db,
  workspaceId: number,
  ids: readonly string[],
): Promise<Map<string, ShownLink>> {
  const rows = await readInBatches(ids, batchIdsMax, (batch) =>
    db
      .selectFrom("links")
      .innerJoin("domains", "domains.id", "links.domainId")
      .select(["links.id", "links.key", "links.url", "links.createdAt", "links.title", "links.comments"])
      .select(["links.folderId", "links.partnerId", "domains.slug as domain", "domains.isInstance"])
      .where("links.workspaceId", "=", workspaceId)
      // A deleted domain keeps its row, with its id as slug, until its links are gone.
      .whereRef("domains.slug", "<>", "domains.id")
      .where("links.id", "in", batch)
      .execute(),
  );
  return new Map(rows.map(({ isInstance, ...link }) => [link.id, { ...link, isOnInstanceDomain: isInstance === 1 }]));
}

/** A link, and the id of its folder or of one of its tags. */
export type GroupedLink = { linkId: string; groupId: string };

/** The current folders of these links. */
export async function folderIdsOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<GroupedLink[]> {
  const rows = await readInBatches(ids, batchIdsMax, (batch) =>
    db
      .selectFrom("links")
      .select(["id as linkId", "folderId as groupId"])
      .where("workspaceId", "=", workspaceId)
      .where("folderId", "is not", null)
      .where("id", "in", batch)
      .execute(),
  );
  return rows.flatMap(({ linkId, groupId }) => (groupId === null ? [] : [{ linkId, groupId }]));
}

/** The current tags of these links, one row for each tag of a link. */
export async function tagIdsOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<GroupedLink[]> {
  return await readInBatches(ids, batchIdsMax, (batch) =>
    db
      .selectFrom("linkTags")
      .innerJoin("tags", "tags.id", "linkTags.tagId")
      .select(["linkTags.linkId", "linkTags.tagId as groupId"])
      .where("tags.workspaceId", "=", workspaceId)
      .where("linkTags.linkId", "in", batch)
      .execute(),
  );
}
