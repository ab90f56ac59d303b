import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { invalid, notFound } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Schema } from "../database/schema.ts";
import { findDomainForFilter } from "../domains/domains.ts";
import { foldKey } from "./key.ts";

/** SQLite refuses patterns above 50,000 bytes; nobody searches for a page of text. */
export const searchCharactersMax = 1_000;

/** Which links are meant; what is absent or undefined does not matter. */
export type LinkFilter = {
  /** A slug the workspace can use. */
  domain?: string | undefined;
  tagId?: string | undefined;
  tagIds?: string[] | undefined;
  tagNames?: string[] | undefined;
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

type Tables = Pick<Schema, "links" | "domains">;
type Condition = Expression<SqlBool>;

/**
 * What a link of the workspace must fulfil to match, for queries over links joined with domains.
 * Throws "not_found" for an unknown domain or folder.
 */
export async function linkCondition(db: Db, workspaceId: number, filter: LinkFilter): Promise<Condition> {
  refuseFolder(filter.folderId);
  const { domain, search = "", userId, tenantId, showArchived = false, createdAfter, createdBefore } = filter;
  const links = expressionBuilder<Tables, "links" | "domains">();
  const conditions: Condition[] = [links("links.workspaceId", "=", workspaceId)];
  if (domain !== undefined && domain !== "") {
    const { id } = await findDomainForFilter(db, workspaceId, domain);
    conditions.push(links("links.domainId", "=", id));
  }
  // No link has a tag yet, and an unknown tag is on none.
  if (asksForTags(filter)) conditions.push(sql<boolean>`1 = 0`);
  if (search.trim() !== "") conditions.push(contains(search.trim()));
  if (userId !== undefined) conditions.push(links("links.userId", "=", userId));
  if (tenantId !== undefined) conditions.push(links("links.tenantId", "=", tenantId));
  if (!showArchived) conditions.push(links("links.archived", "=", 0));
  if (createdAfter !== undefined) conditions.push(links("links.createdAt", ">=", createdAfter));
  if (createdBefore !== undefined) conditions.push(links("links.createdAt", "<", createdBefore));
  return links.and(conditions);
}

/** Known weakness: there are no folders yet, so every one named is unknown. */
function refuseFolder(folderId: string | undefined): void {
  if (folderId !== undefined && folderId !== "" && folderId !== "unsorted") throw notFound("folder");
}

function asksForTags({ tagId, tagIds, tagNames, withTags }: LinkFilter): boolean {
  const isNamed = tagId !== undefined && tagId !== "";
  return isNamed || withTags === true || [...(tagIds ?? []), ...(tagNames ?? [])].length > 0;
}

/**
 * Known weakness: no index serves it, so it reads all links of the workspace; at some 100,000 a trigram or full-text
 * index would be due. Both engines lower ASCII only; keys are found in every script, because they are stored folded.
 */
function contains(search: string): Condition {
  if (search.length > searchCharactersMax)
    throw invalid("search", `may have at most ${searchCharactersMax} characters.`);
  // People paste a short link from the address bar: without its scheme and port it is slug and key.
  const place = foldKey(search.replace(/^https?:\/\//i, "").replace(/^([^/:]+):\d+(?=\/|$)/, "$1"), false);
  return sql<boolean>`(
    lower(domains.slug || '/' || links."foldedKey") like ${pattern(place)} escape '\\'
    or lower(links.url) like lower(cast(${pattern(search)} as text)) escape '\\'
  )`;
}

/** A LIKE pattern for texts that hold this one, whose % and _ mean themselves. */
function pattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
