import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { firstIdAt } from "../base/ids.ts";
import { notFound } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { engineOf } from "../database/engine.ts";
import type { Schema } from "../database/schema.ts";
import { rootKey } from "../domains/domain.ts";
import { deletedDomainIds, findDomainForFilter } from "../domains/domains.ts";
import { type LinkSearch, readSearch, searchAlternatives, searchCondition } from "./link-search.ts";
import { foldName } from "./object-names.ts";

/** Up to this many links with the tags or folders, a query starts from these; beyond, from the newest link. */
const taggedLinksMax = 5_000;

/** How a filter combines several tags. */
export const tagMatches = ["any", "all"] as const;
type TagMatch = (typeof tagMatches)[number];

/** A filter of links; absent fields do not apply. */
export type LinkFilter = {
  /** A slug the workspace can use. */
  domain?: string | undefined;
  tagId?: string | undefined;
  tagIds?: string[] | undefined;
  tagNames?: string[] | undefined;
  /** Whether a link needs one of the tags or all of them; "any" when absent. */
  tagMatch?: TagMatch | undefined;
  /** "unsorted" means links in no folder, "" any. */
  folderId?: string | undefined;
  /** Part of the short link, url, title, comments, folder's name or a tag's name, in any case. */
  search?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  /** Adds the archived links. */
  showArchived?: boolean | undefined;
  /** Only links with a tag. */
  withTags?: boolean | undefined;
  /** Only the root links of domains (true), or all other links (false). */
  root?: boolean | undefined;
  /** From this instant on. */
  createdAfter?: number | undefined;
  /** Before this instant, exclusive. */
  createdBefore?: number | undefined;
};

/** The rows of a workspace's links that a filter selects. */
export type LinkMatch = {
  condition: Condition;
  /** The condition split by search index: it holds if one or several of these hold. */
  alternatives: readonly Condition[];
  /**
   * The links that the condition leaves out and the search finds by the name of a tag or of the folder; undefined if no
   * such name matches.
   */
  byName: Condition | undefined;
  /** The search, if the filter has one. */
  search: LinkSearch | undefined;
};

type Condition = Expression<SqlBool>;

const links = expressionBuilder<Pick<Schema, "links">, "links">();

/**
 * The condition that a filter puts on the links of a workspace, for queries over the table of links.
 * Throws "not_found" for an unknown domain or folder.
 */
export async function matchLinks(db: Db, workspaceId: number, filter: LinkFilter): Promise<LinkMatch> {
  const { domain = "", userId, tenantId, showArchived = false, createdAfter, createdBefore } = filter;
  const conditions: Condition[] = [];
  if (domain !== "") {
    conditions.push(links("links.domainId", "=", (await findDomainForFilter(db, workspaceId, domain)).id));
  }
  const deleted = await deletedDomainIds(db, workspaceId);
  if (deleted.length > 0) conditions.push(links("links.domainId", "not in", deleted));
  const setConditions = [
    ...(await tagConditions(db, workspaceId, filter)),
    ...(await folderCondition(db, workspaceId, filter)),
  ];
  const search = await readSearch(db, workspaceId, filter.search ?? "");
  if (userId !== undefined) conditions.push(links("links.userId", "=", userId));
  if (tenantId !== undefined) conditions.push(links("links.tenantId", "=", tenantId));
  if (!showArchived) conditions.push(links("links.archived", "=", 0));
  if (createdAfter !== undefined) {
    // No id is older than its link, so the query can skip older ids.
    conditions.push(links("links.createdAt", ">=", createdAfter), links("links.id", ">=", firstLinkId(createdAfter)));
  }
  if (createdBefore !== undefined) conditions.push(links("links.createdAt", "<", createdBefore));
  if (filter.root !== undefined) conditions.push(rootCondition(workspaceId, filter.root));
  conditions.push(...setConditions.map(({ condition }) => condition));
  const isNarrow = setConditions.some(({ isNarrow }) => isNarrow);
  const inOwn = inWorkspace(db, workspaceId, isNarrow);
  if (search === undefined) {
    const condition = links.and([inOwn, ...conditions]);
    return { condition, alternatives: [condition], byName: undefined, search };
  }
  const byText = searchCondition(search);
  const named = await namedCondition(db, search);
  return {
    condition: links.and([byText, inOwn, ...conditions]),
    alternatives: searchAlternatives(search).map((alternative) => links.and([alternative, inOwn, ...conditions])),
    byName:
      named &&
      links.and([
        inWorkspace(db, workspaceId, isNarrow || named.isNarrow),
        ...conditions,
        named.condition,
        links.not(byText),
      ]),
    search,
  };
}

type SetCondition = { condition: Condition; isNarrow: boolean };

/**
 * SQLite keeps no statistics and prefers the index of all links of the workspace; a plus before the column makes it use
 * the narrow index.
 */
function inWorkspace(db: Db, workspaceId: number, isNarrow: boolean): Condition {
  if (isNarrow && engineOf(db) === "sqlite") return sql<SqlBool>`+"links"."workspaceId" = ${workspaceId}`;
  return links("links.workspaceId", "=", workspaceId);
}

function firstLinkId(time: number): string {
  return firstIdAt("link", Math.max(0, time));
}

async function folderCondition(db: Db, workspaceId: number, { folderId = "" }: LinkFilter): Promise<SetCondition[]> {
  if (folderId === "") return [];
  if (folderId === "unsorted") return [{ condition: links("links.folderId", "is", null), isNarrow: false }];
  const folder = await db
    .selectFrom("folders")
    .select("id")
    .where("id", "=", folderId)
    .where("workspaceId", "=", workspaceId)
    .executeTakeFirst();
  if (folder === undefined) throw notFound("folder");
  return [{ condition: links("links.folderId", "=", folder.id), isNarrow: true }];
}

/** A tag that the workspace does not have is on no link. */
async function tagConditions(db: Db, workspaceId: number, filter: LinkFilter): Promise<SetCondition[]> {
  const { tagId = "", tagIds = [], tagNames = [], tagMatch = "any", withTags = false } = filter;
  const ids = [...new Set([...(tagId === "" ? [] : [tagId]), ...tagIds])];
  const names = [...new Set(tagNames.map(foldName))];
  const setConditions: SetCondition[] = [];
  const own = db.selectFrom("tags").where("workspaceId", "=", workspaceId);
  if (ids.length + names.length > 0) {
    const found = await own
      .select(["id", "foldedName"])
      .where((tag) =>
        tag.or([
          ...(ids.length === 0 ? [] : [tag("id", "in", ids)]),
          ...(names.length === 0 ? [] : [tag("foldedName", "in", names)]),
        ]),
      )
      .execute();
    const tags = found.map(({ id }) => id);
    const known = new Set(found.flatMap(({ id, foldedName }) => [id, foldedName]));
    const isMissing = tagMatch === "all" && [...ids, ...names].some((named) => !known.has(named));
    if (tags.length === 0 || isMissing) return [{ condition: sql<SqlBool>`1 = 0`, isNarrow: false }];
    const groups = tagMatch === "all" ? tags.map((tag) => [tag]) : [tags];
    for (const group of groups) setConditions.push(await hasTagOf(db, sql.join(group)));
  } else if (withTags) {
    setConditions.push(
      await hasTagOf(db, sql`select "tags"."id" from "tags" where "tags"."workspaceId" = ${workspaceId}`),
    );
  }
  return setConditions;
}

/**
 * The condition that a link has one of the tags. The query starts from the tags if few links have them, else it checks
 * each link.
 */
async function hasTagOf(db: Db, tags: RawBuilder<unknown>): Promise<SetCondition> {
  const tagged = sql`select "linkId" from "linkTags" where "tagId" in (${tags})`;
  if (await isAtMost(db, tagged, taggedLinksMax)) {
    return { condition: sql<SqlBool>`"links"."id" in (${tagged})`, isNarrow: true };
  }
  return { condition: hasOneOf(tags), isNarrow: false };
}

/** Root links are looked up by domain, so that a count of the other links still reads only its index. */
function rootCondition(workspaceId: number, isRoot: boolean): Condition {
  const roots = sql`(
    select "root"."id" from "domains" inner join "links" as "root" on "root"."domainId" = "domains"."id"
    where "root"."foldedKey" = ${rootKey} and ("domains"."workspaceId" = ${workspaceId} or "domains"."isInstance" = 1)
  )`;
  return sql<SqlBool>`"links"."id" ${sql.raw(isRoot ? "in" : "not in")} ${roots}`;
}

/**
 * The condition that a link has a tag or a folder whose name a search found; undefined for none. Like hasTagOf, the
 * query starts from the names if few links have them.
 */
async function namedCondition(db: Db, { named }: LinkSearch): Promise<SetCondition | undefined> {
  const { tagIds, folderIds } = named;
  if (tagIds.length + folderIds.length === 0) return undefined;
  const ids = sql.join(
    [
      ...(tagIds.length === 0
        ? []
        : [sql`select "linkId" as "id" from "linkTags" where "tagId" in (${sql.join(tagIds)})`]),
      ...(folderIds.length === 0
        ? []
        : [sql`select "filed"."id" from "links" as "filed" where "filed"."folderId" in (${sql.join(folderIds)})`]),
    ],
    sql` union all `,
  );
  if (await isAtMost(db, ids, taggedLinksMax)) {
    return { condition: sql<SqlBool>`"links"."id" in (${ids})`, isNarrow: true };
  }
  const alternatives: Condition[] = [];
  if (folderIds.length > 0) alternatives.push(links("links.folderId", "in", folderIds));
  if (tagIds.length > 0) alternatives.push(hasOneOf(sql.join(tagIds)));
  return { condition: links.or(alternatives), isNarrow: false };
}

/** True if a query returns at most this many rows; reads one more at most. */
async function isAtMost(db: Db, query: RawBuilder<unknown>, rowsMax: number): Promise<boolean> {
  const { rows } = await sql<{ rows: number }>`
    select count(*) as "rows" from (select 1 from (${query}) as "all" limit ${sql.lit(rowsMax + 1)}) as "first"`.execute(
    db,
  );
  return Number(rows[0]?.rows ?? 0) <= rowsMax;
}

function hasOneOf(tags: RawBuilder<unknown>): Condition {
  return sql<SqlBool>`exists (
    select 1 from "linkTags" where "linkTags"."linkId" = "links"."id" and "linkTags"."tagId" in (${tags})
  )`;
}
