import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { Actor } from "../access/actor.ts";
import { invalid } from "../base/problem.ts";
import { mapInSlices } from "../base/time-slices.ts";
import type { Db } from "../database/database.ts";
import { engineOf } from "../database/engine.ts";
import { rowidRange } from "../database/link-search.ts";
import type { LinksTable } from "../database/schema.ts";
import { linksOf } from "./find-links.ts";
import { type Link, toLink } from "./link.ts";
import { type LinkFilter, type LinkMatch, matchLinks } from "./link-filter.ts";
import { withTags } from "./link-placement.ts";
import { type LinkSearch, searchExpression } from "./link-search.ts";

/**
 * Lists and counts links.
 *
 * 1. A list is ordered by id, newest first. A search on SQLite is ordered by insertion, which differs only within a
 *    millisecond, and only among simultaneous calls.
 * 2. Queries find the links of a page in the indexes and then read only those, however deep the page is.
 */

export const pageMax = 1_000;
export const pageSizeMax = 100;
/** Groups of a grouped count; the smallest beyond it are left out. */
const groupsMax = 1_000;

/** The fields that links can be sorted by. */
export const linkSorts = ["createdAt", "clicks", "saleAmount", "lastClicked"] as const;
type LinkSort = (typeof linkSorts)[number];
export const sortOrders = ["asc", "desc"] as const;
type SortOrder = (typeof sortOrders)[number];

/** The fields that links can be grouped by. */
export const linkGroupings = ["domain", "tagId", "userId", "folderId"] as const;
type LinkGrouping = (typeof linkGroupings)[number];

/** The number of links with this value; null for links without a value. */
type LinkGroup = { value: string | null; count: number };

/** The page to return: by its number, or before or after a link. */
export type LinkPage = {
  page?: number | undefined;
  pageSize: number;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
  sortBy?: LinkSort | undefined;
  /** "desc" when absent: largest or newest first. */
  sortOrder?: SortOrder | undefined;
};

type Deps = { db: Db };

/**
 * The links that match, newest first unless sorted otherwise.
 * Throws "not_found" for an unknown domain or folder; "unprocessable_entity" for an unknown cursor, for two cursors,
 * and for a cursor together with a page or another order.
 */
export async function listLinks({ db }: Deps, actor: Actor, filter: LinkFilter, page: LinkPage): Promise<Link[]> {
  refuseMixedPaging(page);
  const { startingAfter, endingBefore } = page;
  if (startingAfter !== undefined) await requireCursor(db, actor, "startingAfter", startingAfter);
  if (endingBefore !== undefined) await requireCursor(db, actor, "endingBefore", endingBefore);
  const match = await matchLinks(db, actor.workspaceId, filter);
  const found = await pageOf(db, actor.workspaceId, match, page).execute();
  const ids = found.map(({ id }) => id);
  return await linksInOrder(db, actor, endingBefore === undefined ? ids : ids.reverse());
}

/** The number of links that match. Throws "not_found" for an unknown domain or folder. */
export async function countLinks({ db }: Deps, actor: Actor, filter: LinkFilter): Promise<number> {
  const match = await matchLinks(db, actor.workspaceId, filter);
  const { count } = await matchingLinks(db, actor.workspaceId, match)
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * The number of links that match for each value of a field, largest first; at most groupsMax groups. A link counts for
 * each of its tags.
 */
export async function countLinkGroups(
  { db }: Deps,
  actor: Actor,
  filter: LinkFilter,
  groupBy: LinkGrouping,
): Promise<LinkGroup[]> {
  const match = await matchLinks(db, actor.workspaceId, filter);
  const query = matchingLinks(db, actor.workspaceId, match);
  const count = sql<number>`count(*)`;
  if (groupBy === "tagId") {
    return await query
      .innerJoin("linkTags", "linkTags.linkId", "links.id")
      .select(["linkTags.tagId as value", count.as("count")])
      .groupBy("linkTags.tagId")
      .orderBy(count, "desc")
      .orderBy("linkTags.tagId")
      .limit(groupsMax)
      .execute();
  }
  const column = groupBy === "domain" ? "links.domainId" : (`links.${groupBy}` as const);
  const groups: LinkGroup[] = await query
    .select([sql<string | null>`${sql.ref(column)}`.as("value"), count.as("count")])
    .groupBy(column)
    .orderBy(count, "desc")
    // The engines' own orders of null differ.
    .orderBy(column, (order) => order.asc().nullsFirst())
    .limit(groupsMax)
    .execute();
  return groupBy === "domain" ? await withSlugs(db, groups) : groups;
}

/** The ids of the links on a page. Those before a cursor come in reverse. */
function pageOf(db: Db, workspaceId: number, match: LinkMatch, page: LinkPage) {
  const { pageSize, sortBy } = page;
  const offset = ((page.page ?? 1) - 1) * pageSize;
  const sources = sourcesOf(db, workspaceId, match).map(({ query, isFound }) =>
    inOrder(beyondCursor(query, workspaceId, isFound, page), isFound, page),
  );
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only.select("links.id").limit(pageSize).offset(offset);
  const sorted = sortBy === "clicks" || sortBy === "lastClicked" ? ([`links.${sortBy}`] as const) : [];
  // The links of the page are among the first of each source. SQLite orders the parts of a union only as subqueries.
  const parts = sources.map((query) => {
    const first = query.select(["links.id", ...sorted]).limit(offset + pageSize);
    return sql`select * from (${first}) as "part"`;
  });
  // The union holds a link of several sources once.
  const union = linksFrom(db, sql`(${sql.join(parts, sql` union `)})`);
  return inOrder(union, false, page).select("links.id").limit(pageSize).offset(offset);
}

type LinkQuery = ReturnType<typeof linksFrom>;
/** Some of the links that match; `isFound` if the trigram index of SQLite finds them. */
type LinkSource = { query: LinkQuery; isFound: boolean };

/** Queries that find all links that match, each by one index. */
function sourcesOf(db: Db, workspaceId: number, match: LinkMatch): LinkSource[] {
  const { alternatives, byName, search } = match;
  const byText =
    search !== undefined && engineOf(db) === "sqlite"
      ? [{ query: foundLinks(db, workspaceId, match.condition, search), isFound: true }]
      : alternatives.map((alternative) => ({ query: plainLinks(db, alternative), isFound: false }));
  return byName === undefined ? byText : [...byText, { query: plainLinks(db, byName), isFound: false }];
}

function inOrder(query: LinkQuery, isFound: boolean, { sortBy, sortOrder, endingBefore }: LinkPage): LinkQuery {
  const direction = endingBefore === undefined ? (sortOrder ?? "desc") : "asc";
  if (sortBy === "clicks") return query.orderBy("links.clicks", direction).orderBy("links.id", direction);
  if (sortBy === "lastClicked") {
    // Links without a click come last in either direction; the engines' own orders differ.
    const byLastClick = query.orderBy("links.lastClicked", (order) =>
      (direction === "asc" ? order.asc() : order.desc()).nullsLast(),
    );
    return byLastClick.orderBy("links.id", direction);
  }
  return query.orderBy(isFound ? sql`"found"."rowid"` : "links.id", direction);
}

/** Restricts the query to one side of a cursor, in the order of the list. */
function beyondCursor(query: LinkQuery, workspaceId: number, isFound: boolean, page: LinkPage): LinkQuery {
  const { startingAfter, endingBefore } = page;
  if (startingAfter !== undefined) return query.where(beyond(workspaceId, isFound, "<", startingAfter));
  if (endingBefore !== undefined) return query.where(beyond(workspaceId, isFound, ">", endingBefore));
  return query;
}

/** A query over the links that match, to count them. */
function matchingLinks(db: Db, workspaceId: number, { condition, byName, search }: LinkMatch): LinkQuery {
  const byText =
    search !== undefined && engineOf(db) === "sqlite"
      ? foundLinks(db, workspaceId, condition, search)
      : plainLinks(db, condition);
  if (byName === undefined) return byText;
  const parts = [byText, plainLinks(db, byName)].map(
    (query) => sql`select * from (${query.select(countedColumns)}) as "part"`,
  );
  return linksFrom(db, sql`(${sql.join(parts, sql` union all `)})`);
}

/** The columns that links are counted by. */
const countedColumns = ["links.id", "links.domainId", "links.userId", "links.folderId"] as const;

function plainLinks(db: Db, condition: LinkMatch["condition"]): LinkQuery {
  return linksFrom(db, sql`"links"`).where(condition);
}

/**
 * The links that SQLite's trigram index finds and the condition confirms. The query reads the index first and looks up
 * each link from there; "cross join" tells SQLite this order.
 */
function foundLinks(db: Db, workspaceId: number, condition: LinkMatch["condition"], search: LinkSearch): LinkQuery {
  const { first, end } = rowidRange(workspaceId);
  return linksFrom(db, sql`"linkSearch" as "found" cross join "links"`)
    .where(sql<SqlBool>`"found"."linkSearch" match ${searchExpression(search)}`)
    .where(sql<SqlBool>`"found"."rowid" >= ${first} and "found"."rowid" < ${end}`)
    .where(sql<SqlBool>`"links"."seq" = "found"."rowid" - ${first}`)
    .where(condition);
}

function linksFrom(db: Db, tables: RawBuilder<unknown>) {
  // The last table of the text is "links", which gets its own name as alias.
  return db.selectFrom(sql<Selectable<LinksTable>>`${tables}`.as("links"));
}

/** The condition of one side of a cursor, in the order of the list. */
function beyond(workspaceId: number, isFound: boolean, side: "<" | ">", linkId: string) {
  if (!isFound) return sql<SqlBool>`"links"."id" ${sql.raw(side)} ${linkId}`;
  const seq = sql`(select "cursor"."seq" from "links" as "cursor" where "cursor"."id" = ${linkId})`;
  return sql<SqlBool>`"found"."rowid" ${sql.raw(side)} ${rowidRange(workspaceId).first} + ${seq}`;
}

async function linksInOrder(db: Db, actor: Actor, ids: readonly string[]): Promise<Link[]> {
  if (ids.length === 0) return [];
  const rows = await linksOf(db, actor.workspaceId).where("links.id", "in", ids).execute();
  const links = await mapInSlices(await withTags(db, rows), toLink);
  const byId = new Map(links.map((link) => [link.id, link]));
  // Skips a link that was deleted between the two queries.
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function withSlugs(db: Db, groups: readonly LinkGroup[]): Promise<LinkGroup[]> {
  const ids = groups.flatMap(({ value }) => value ?? []);
  if (ids.length === 0) return [];
  const domains = await db.selectFrom("domains").select(["id", "slug"]).where("id", "in", ids).execute();
  const slugs = new Map(domains.map(({ id, slug }) => [id, slug]));
  return groups.map(({ value, count }) => ({ value: slugs.get(value ?? "") ?? null, count }));
}

function refuseMixedPaging({ page, startingAfter, endingBefore, sortBy, sortOrder }: LinkPage): void {
  if (startingAfter === undefined && endingBefore === undefined) return;
  const cursor = startingAfter === undefined ? "endingBefore" : "startingAfter";
  if (startingAfter !== undefined && endingBefore !== undefined) {
    throw invalid("endingBefore", "cannot be combined with startingAfter.");
  }
  if (page !== undefined) throw invalid(cursor, "cannot be combined with page.");
  if (sortBy !== undefined && sortBy !== "createdAt") throw invalid(cursor, "works with sortBy=createdAt only.");
  if (sortOrder === "asc") throw invalid(cursor, "works with sortOrder=desc only.");
}

async function requireCursor(db: Db, actor: Actor, field: string, linkId: string): Promise<void> {
  const row = await db
    .selectFrom("links")
    .select("id")
    .where("id", "=", linkId)
    .where("workspaceId", "=", actor.workspaceId)
    .executeTakeFirst();
  if (row === undefined) throw invalid(field, "must be the id of a link of this workspace.");
}
