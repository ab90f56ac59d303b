import type { Actor } from "../access/actor.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { findDomainForFilter } from "../domains/domains.ts";
import { lookupKey } from "./key.ts";
import { externalIdOf, type Link, type StoredLink, toLink } from "./link.ts";
import { type LinkFilter, linkCondition } from "./link-filter.ts";

/**
 * Look-ups of links. Every query begins at baseOf or lockLink, so that none can reach beyond the actor's workspace.
 */

export const pageMax = 1_000;
export const pageSizeMax = 100;

/** What links can be sorted by, largest or newest first. */
export const linkSorts = ["createdAt", "clicks", "saleAmount", "lastClicked"] as const;
export type LinkSort = (typeof linkSorts)[number];

/** Which part of the links found is wanted: a page by its number, or what is next to a link. */
export type LinkPage = {
  page?: number | undefined;
  pageSize: number;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
  sortBy?: LinkSort | undefined;
};

/** The ways to name one link. */
export type LinkName = {
  linkId?: string | undefined;
  externalId?: string | undefined;
  domain?: string | undefined;
  key?: string | undefined;
};

type Deps = { db: Db };

/** The link with this id, or with the externalId behind `ext_`. Throws "not_found". */
export async function findLink({ db }: Deps, actor: Actor, linkId: string): Promise<Link> {
  return toLink(await findStoredLink(db, actor.workspaceId, linkId));
}

/**
 * The link that is named by its id, else by `ext_` and its externalId, else by its domain and key; a domain alone means
 * its root link.
 * Throws "not_found"; "bad_request" when nothing names a link.
 */
export async function findNamedLink({ db }: Deps, actor: Actor, name: LinkName): Promise<Link> {
  const { linkId, externalId, domain, key } = name;
  if (linkId !== undefined && linkId !== "") return await findLink({ db }, actor, linkId);
  if (externalId !== undefined && externalId !== "") {
    if (externalIdOf(externalId) === undefined) {
      throw new Problem("bad_request", "externalId: must begin with ext_, as in ext_12345.");
    }
    return await findLink({ db }, actor, externalId);
  }
  if (domain === undefined || domain === "") {
    throw new Problem("bad_request", "Name a link by linkId, by externalId, or by domain and key.");
  }
  const place = await findDomainForFilter(db, actor.workspaceId, domain);
  const row = await linksOf(db, actor.workspaceId)
    .where("links.domainId", "=", place.id)
    .where("links.foldedKey", "=", lookupKey(key ?? "", place))
    .executeTakeFirst();
  if (row === undefined) throw notFound("link");
  return toLink(row);
}

/**
 * The links that match, newest first unless sorted otherwise.
 * Throws "not_found" for an unknown domain or folder, "unprocessable_entity" for an unknown cursor, two cursors, or a
 * cursor together with a page or another order.
 */
export async function listLinks({ db }: Deps, actor: Actor, filter: LinkFilter, page: LinkPage): Promise<Link[]> {
  refuseMixedPaging(page);
  const matches = await linkCondition(db, actor.workspaceId, filter);
  const { pageSize, startingAfter, endingBefore, sortBy = "createdAt" } = page;
  let query = linksOf(db, actor.workspaceId).where(matches).limit(pageSize);
  if (endingBefore !== undefined) {
    await requireCursor(db, actor, "endingBefore", endingBefore);
    const rows = await query.where("links.id", ">", endingBefore).orderBy("links.id", "asc").execute();
    return rows.map(toLink).reverse();
  }
  if (startingAfter !== undefined) {
    await requireCursor(db, actor, "startingAfter", startingAfter);
    query = query.where("links.id", "<", startingAfter);
  }
  if (sortBy === "clicks") query = query.orderBy("links.clicks", "desc");
  // Without "nulls last" the engines disagree about where links without a click belong.
  if (sortBy === "lastClicked") query = query.orderBy("links.lastClicked", (order) => order.desc().nullsLast());
  const rows = await query
    .orderBy("links.id", "desc")
    .offset(((page.page ?? 1) - 1) * pageSize)
    .execute();
  return rows.map(toLink);
}

/** How many links match. Throws "not_found" for an unknown domain or folder. */
export async function countLinks({ db }: Deps, actor: Actor, filter: LinkFilter): Promise<number> {
  const { count } = await baseOf(db, actor.workspaceId)
    .where(await linkCondition(db, actor.workspaceId, filter))
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** findLink with the columns that only verbs of links see. */
export async function findStoredLink(db: Db, workspaceId: number, linkId: string): Promise<StoredLink> {
  const externalId = externalIdOf(linkId);
  const row = await linksOf(db, workspaceId)
    .where(externalId === undefined ? "links.id" : "links.externalId", "=", externalId ?? linkId)
    .executeTakeFirst();
  if (row === undefined) throw notFound("link");
  return row;
}

/** findStoredLink, keeping other changes of the link waiting until the transaction ends. Throws "not_found". */
export async function lockLink(tx: Tx, workspaceId: number, linkId: string): Promise<StoredLink> {
  const externalId = externalIdOf(linkId);
  // SQLite knows no "for update"; writing the value that is there takes the row on one engine, the file on the other.
  const locked = await tx
    .updateTable("links")
    .set((row) => ({ updatedAt: row.ref("updatedAt") }))
    .where("workspaceId", "=", workspaceId)
    .where(externalId === undefined ? "id" : "externalId", "=", externalId ?? linkId)
    .returning("id")
    .executeTakeFirst();
  if (locked === undefined) throw notFound("link");
  return await findStoredLink(tx, workspaceId, locked.id);
}

function baseOf(db: Db, workspaceId: number) {
  return db
    .selectFrom("links")
    .innerJoin("domains", "domains.id", "links.domainId")
    .where("links.workspaceId", "=", workspaceId);
}

function linksOf(db: Db, workspaceId: number) {
  return baseOf(db, workspaceId)
    .selectAll("links")
    .select(["domains.slug as domain", "domains.isInstance", "domains.caseSensitive"]);
}

function refuseMixedPaging({ page, startingAfter, endingBefore, sortBy }: LinkPage): void {
  if (startingAfter === undefined && endingBefore === undefined) return;
  const cursor = startingAfter === undefined ? "endingBefore" : "startingAfter";
  if (startingAfter !== undefined && endingBefore !== undefined) {
    throw invalid("endingBefore", "cannot be combined with startingAfter.");
  }
  if (page !== undefined) throw invalid(cursor, "cannot be combined with page.");
  if (sortBy !== undefined && sortBy !== "createdAt") throw invalid(cursor, "works with sortBy=createdAt only.");
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
