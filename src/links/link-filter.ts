import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { firstIdAt } from "../base/ids.ts";
import { notFound } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { engineOf } from "../database/engine.ts";
import type { Schema } from "../database/schema.ts";
import { deletedDomainIds, findDomainForFilter } from "../domains/domains.ts";
import { type LinkSearch, readSearch, searchAlternatives, searchCondition } from "./link-search.ts";
import { foldName } from "./object-names.ts";

/** Up to this many tagged links, a query starts from the tags; beyond, from the newest link. */
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
  /** Part of the short link or of the url, in any case. */
  search?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  /** Adds the archived links. */
  showArchived?: boolean | undefined;
  /** Only links with a tag. */
  withTags?: boolean | undefined;
  /** From this instant on. */
  createdAfter?: number | undefined;
  /** Before this instant, exclusive. */
  createdBefore?: number | undefined;
};

/** The rows of a workspace's links that a filter selects. */
export type LinkMatch = {
  condition: Condition;
  /** The condition split by search index: a row matches if one or several of these hold. */
  alternatives: readonly Condition[];
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
  const isNarrow = setConditions.some(({ isNarrow }) => isNarrow);
  conditions.push(inWorkspace(db, workspaceId, isNarrow), ...setConditions.map(({ condition }) => condition));
  if (search === undefined) {
    const condition = links.and(conditions);
    return { condition, alternatives: [condition], search };
  }
  return {
    condition: links.and([searchCondition(search), ...conditions]),
    alternatives: searchAlternatives(search).map((alternative) => links.and([alternative, ...conditions])),
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
  const tagged = await sql<{ rows: number }>`
    select count(*) as "rows" from (
      select 1 from "linkTags" where "tagId" in (${tags}) limit ${sql.lit(taggedLinksMax + 1)}
    ) as "tagged"`.execute(db);
  if (Number(tagged.rows[0]?.rows ?? 0) <= taggedLinksMax) {
    const condition = sql<SqlBool>`"links"."id" in (select "linkId" from "linkTags" where "tagId" in (${tags}))`;
    return { condition, isNarrow: true };
  }
  const condition = sql<SqlBool>`exists (
    select 1 from "linkTags" where "linkTags"."linkId" = "links"."id" and "linkTags"."tagId" in (${tags})
  )`;
  return { condition, isNarrow: false };
}
