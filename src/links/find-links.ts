import { type ExpressionBuilder, sql } from "kysely";
import type { Actor } from "../access/actor.ts";
import { notFound, Problem } from "../base/problem.ts";
import { mapInSlices } from "../base/time-slices.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { Schema } from "../database/schema.ts";
import { findDomainForFilter } from "../domains/domains.ts";
import { externalIdOf } from "./external-id.ts";
import { fieldEntries, linkColumns } from "./fields.ts";
import { lookupKey } from "./key.ts";
import { type Link, type LinkRow, type LinkWithDomain, toLink } from "./link.ts";
import { tagsOfLinks, withTags } from "./link-placement.ts";
import { targetColumns } from "./link-targets.ts";

/** Lookups of links. Every query starts from linksOf or lockLink, so that none leaves the actor's workspace. */

/** The ways to name one link. */
type LinkName = {
  linkId?: string | undefined;
  externalId?: string | undefined;
  domain?: string | undefined;
  key?: string | undefined;
};

type Deps = { db: Db };

/** The link with this id, or with the externalId after `ext_`. Throws "not_found". */
export async function findLink({ db }: Deps, actor: Actor, linkId: string): Promise<Link> {
  return toLink(await findLinkRow(db, actor.workspaceId, linkId));
}

/** The actor's links among these ids, by id. The caller bounds the list. */
export async function findLinksById({ db }: Deps, actor: Actor, ids: readonly string[]): Promise<Map<string, Link>> {
  const [first] = ids;
  if (first === undefined) return new Map();
  const { workspaceId } = actor;
  const [rows, tags] = await Promise.all([
    ids.length === 1
      ? selectLink(db, { workspaceId, id: first })
      : linksOf(db, workspaceId).where("links.id", "in", ids).execute(),
    tagsOfLinks(db, ids),
  ]);
  return new Map(rows.map((row) => [row.id, toLink({ ...row, tags: tags.get(row.id) ?? [] })]));
}

/**
 * The link with this id, or else with `ext_` and its externalId, or else with this domain and key; a domain alone means
 * its root link.
 * Throws "not_found"; "bad_request" when the name is empty.
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
    throw new Problem("bad_request", "Identify the link by linkId, externalId, or domain and key.");
  }
  const domainRow = await findDomainForFilter(db, actor.workspaceId, domain);
  const row = await linksOf(db, actor.workspaceId)
    .where("links.domainId", "=", domainRow.id)
    .where("links.foldedKey", "=", lookupKey(key ?? "", domainRow))
    .executeTakeFirst();
  return toLink(await found(db, row));
}

/** Like findLink, but returns the row. */
export async function findLinkRow(db: Db, workspaceId: number, linkId: string): Promise<LinkRow> {
  const externalId = externalIdOf(linkId);
  const row =
    externalId === undefined
      ? (await selectLink(db, { workspaceId, id: linkId }))[0]
      : await linksOf(db, workspaceId).where("links.externalId", "=", externalId).executeTakeFirst();
  return await found(db, row);
}

/** Prepared, because building this query took a tenth of the time of a page of clicks. */
const selectLink = prepared((db, value: Slot<{ workspaceId: number; id: string }>) =>
  linksOf(db, value("workspaceId")).where("links.id", "=", value("id")),
);

/** Like findLinkRow, and blocks other changes of the link until the transaction ends. Throws "not_found". */
export async function lockLink(tx: Tx, workspaceId: number, linkId: string): Promise<LinkRow> {
  const externalId = externalIdOf(linkId);
  // SQLite has no "for update": writing the current value locks the row on PostgreSQL and the file on SQLite.
  const locked = await tx
    .updateTable("links")
    .set((row) => ({ updatedAt: row.ref("updatedAt") }))
    .where("workspaceId", "=", workspaceId)
    .where(externalId === undefined ? "id" : "externalId", "=", externalId ?? linkId)
    .returning("id")
    .executeTakeFirst();
  if (locked === undefined) throw notFound("link");
  return await findLinkRow(tx, workspaceId, locked.id);
}

/**
 * The workspace's links with these names, ordered by id and locked until the transaction ends; unknown names are left out.
 * `ids` may hold `ext_` names.
 */
export async function lockLinks(tx: Tx, workspaceId: number, ids: readonly string[]): Promise<LinkRow[]> {
  const names = [...new Set(ids)].sort();
  const parts = Array.from({ length: Math.ceil(names.length / batchLinksMax) }, (_, part) =>
    names.slice(part * batchLinksMax, (part + 1) * batchLinksMax),
  );
  const links = (await mapInSlices(parts, (part) => lockPart(tx, workspaceId, part))).flat();
  // The caller may have named one by its id and by its externalId.
  const byId = new Map(links.map((link) => [link.id, link]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Links that one statement locks; each is written and may have hundreds of kilobytes. */
const batchLinksMax = 10;

async function lockPart(tx: Tx, workspaceId: number, ids: readonly string[]): Promise<LinkRow[]> {
  const locked = await tx
    .updateTable("links")
    .set((row) => ({ updatedAt: row.ref("updatedAt") }))
    .where("workspaceId", "=", workspaceId)
    .where(isNamed(ids))
    .returning("id")
    .execute();
  if (locked.length === 0) return [];
  const rows = await linksOf(tx, workspaceId)
    .where(
      "links.id",
      "in",
      locked.map(({ id }) => id),
    )
    .execute();
  return await withTags(tx, rows);
}

/** The workspace's links with these names, without tags. `ids` may hold `ext_` names. */
async function findNamedLinkRows(db: Db, workspaceId: number, ids: readonly string[]): Promise<LinkWithDomain[]> {
  return await linksOf(db, workspaceId).where(isNamed(ids)).execute();
}

/** The columns that decide who may change the links with these names. `ids` may hold `ext_` names. */
export async function findAccessColumns(
  db: Db,
  workspaceId: number,
  ids: readonly string[],
): Promise<Pick<LinkRow, "key" | "isInstance" | "folderId">[]> {
  return await linksOf(db, workspaceId)
    .clearSelect()
    .select(["links.key", "links.folderId", "domains.isInstance"])
    .where(isNamed(ids))
    .execute();
}

/** The workspace's links with these names. `ids` may hold `ext_` names. */
export async function findNamedLinks(
  { db }: { db: Db },
  { workspaceId }: Actor,
  ids: readonly string[],
): Promise<Link[]> {
  if (ids.length === 0) return [];
  return await mapInSlices(await withTags(db, await findNamedLinkRows(db, workspaceId, ids)), toLink);
}

/** Shorter texts are not worth counting. */
const largeTextCharactersMin = 1_000;
/** Columns that can hold thousands of characters. */
const largeColumns = [
  ...targetColumns,
  ...fieldEntries.flatMap(([name, field]) =>
    field.kind === "text" && (field.charactersMax ?? 0) >= largeTextCharactersMin ? [name] : [],
  ),
];

/** The bytes of the named links in columns that can be large. */
export async function bytesOfLinks(db: Db, workspaceId: number, ids: readonly string[]): Promise<number> {
  const bytes = sql.join(
    largeColumns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  );
  const { total } = await db
    .selectFrom("links")
    .select(sql<number | string | null>`sum(${bytes})`.as("total"))
    .where("workspaceId", "=", workspaceId)
    .where(isNamed(ids))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

function isNamed(ids: readonly string[]) {
  const externalIds = ids.flatMap((id) => externalIdOf(id) ?? []);
  const plainIds = ids.filter((id) => externalIdOf(id) === undefined);
  return (where: ExpressionBuilder<Schema, "links">) =>
    where.or([
      ...(plainIds.length === 0 ? [] : [where("links.id", "in", plainIds)]),
      ...(externalIds.length === 0 ? [] : [where("links.externalId", "in", externalIds)]),
    ]);
}

async function found(db: Db, row: LinkWithDomain | undefined): Promise<LinkRow> {
  const [link] = await withTags(db, row === undefined ? [] : [row]);
  if (link === undefined) throw notFound("link");
  return link;
}

/** The workspace's links joined with their domains; links of deleted domains are left out. */
export function linksOf(db: Db, workspaceId: number) {
  return db
    .selectFrom("links")
    .innerJoin("domains", "domains.id", "links.domainId")
    .where("links.workspaceId", "=", workspaceId)
    .whereRef("domains.slug", "<>", "domains.id")
    .select(linkColumns)
    .select(["domains.slug as domain", "domains.isInstance", "domains.caseSensitive"]);
}
