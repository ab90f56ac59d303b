import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { firstIdAt } from "../base/ids.ts";
import { notFound } from "../base/problem.ts";
import { type Db, engineOf } from "../database/database.ts";
import type { Schema } from "../database/schema.ts";
import { deletedDomainIds, findDomainForFilter } from "../domains/domains.ts";
import { type LinkSearch, readSearch, searchAlternatives, searchCondition } from "./link-search.ts";
import { foldName } from "./tags.ts";

/** Links with the tags asked for, up to which they are taken from the tags; beyond, from the newest link on. */
const taggedLinksMax = 5_000;

/** How several tags of a filter are meant. */
export const tagMatches = ["any", "all"] as const;
export type TagMatch = (typeof tagMatches)[number];

/** Which links are meant; what is absent or undefined does not matter. */
export type LinkFilter = {
  /** A slug the workspace can use. */
  domain?: string | undefined;
  tagId?: string | undefined;
  tagIds?: string[] | undefined;
  tagNames?: string[] | undefined;
  /** Whether a link must have one of the tags named, or each of them; any when absent. */
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
  /** Before this instant, which is not included. */
  createdBefore?: number | undefined;
};

/** Which rows of a workspace's links a filter means. */
export type LinkMatch = {
  condition: Condition;
  /** Conditions of which one or several hold where the condition does; each finds its part by another index. */
  alternatives: readonly Condition[];
  /** What is searched for, where something is. */
  search: LinkSearch | undefined;
};

type Condition = Expression<SqlBool>;

const links = expressionBuilder<Pick<Schema, "links">, "links">();

/**
 * What a link of the workspace must fulfil to match, for queries over the table of links.
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
    // No id was made before its link, so that older ones need not be looked at.
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
 * SQLite keeps no statistics and prefers the index of all the workspace's links; behind a plus it has to take the
 * narrow one.
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

/** That a link has one of the tags; taken from the tags where few links have them, else asked of each link. */
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
