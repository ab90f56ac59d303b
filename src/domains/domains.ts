import { setImmediate } from "node:timers/promises";
import { type Selectable, sql } from "kysely";
import { type Actor, requireOwner } from "../access/actor.ts";
import type { Blocks } from "../access/blocks.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { findSharedDomain } from "../access/shared-domains.ts";
import { newId, randomBase62 } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Warn } from "../base/warning.ts";
import type { Config } from "../config.ts";
import { containsText } from "../database/contains-text.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { engineOf } from "../database/engine.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { DomainsTable, Flag } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { type DomainStatus, instanceSlug, normalizeSlug, rootKey } from "./domain.ts";
import { asJson, type DomainSettings, defaultSettings } from "./domain-settings.ts";

/**
 * Lookups of domains, and the verbs without rules: list, get, make primary.
 *
 * 1. Every change of a workspace's domains first locks the workspace's row (lockWorkspace), so that the second of two
 *    simultaneous changes sees the first. So a workspace with domains has exactly one primary domain.
 * 2. Every workspace can use the instance's domain, but only its own workspace lists, shows and edits it.
 * 3. A deleted domain keeps its row until its links are gone (delete-domain.ts), with its id as slug. Lookups by slug
 *    do not find it; other lookups skip it.
 */

/** A domain as stored. */
export type DomainRow = Selectable<DomainsTable>;

/** A filter of a workspace's domains. */
type DomainFilter = {
  archived: boolean;
  /** Part of the slug; undefined means any. */
  search: string | undefined;
};

/** About 190 bits, so that another workspace's record cannot be guessed. */
const tokenLength = 32;

type Deps = { db: Db; now: () => number };
type PrimaryDeps = Deps & { config: Pick<Config, "WAYPOST_UNVERIFIED_REDIRECTS"> };

/**
 * The domain for a link: the one with this slug, written in any way.
 * Throws "forbidden" for a slug that the workspace does not have, whether or not it exists elsewhere.
 */
export async function findUsableDomain(db: Db, workspaceId: number, slug: string): Promise<DomainRow> {
  const domain = await findBySlug(db, workspaceId, slug);
  if (domain !== undefined) return domain;
  throw new Problem("forbidden", "domain: this workspace does not have this domain. Add it first, or leave it out.");
}

/**
 * The domain for a new link that names none: the workspace's primary domain, or else the instance's. The primary domain
 * is skipped while it is archived, and while it is pending, because its links would not redirect; the latter is a
 * warning. Throws "forbidden" when there is neither.
 */
export async function findDefaultDomain(
  db: Db,
  workspaceId: number,
  { config, warn }: Pick<PrimaryDeps, "config"> & { warn?: Warn | undefined },
): Promise<DomainRow> {
  // Two queries, each by an index, take a third of the time of one query for both.
  const [primary] = await selectPrimary(db, { workspaceId });
  if (primary !== undefined && (primary.status !== "pending" || config.WAYPOST_UNVERIFIED_REDIRECTS)) return primary;
  const [instance] = await selectInstance(db, {});
  if (instance === undefined) throw new Problem("forbidden", "domain: this workspace has no domain; add one first.");
  if (primary !== undefined) warn?.({ code: "domain_not_verified", message: skippedMessage(primary, instance) });
  return instance;
}

function skippedMessage({ slug }: DomainRow, instance: DomainRow): string {
  return `The primary domain ${slug} is not verified, so the link is on ${instance.slug}. ${whereRecordIs(slug)}`;
}

/** The sentence about the record that verifies a domain. */
export function whereRecordIs(slug: string): string {
  return `GET /v1/domains/${slug}/dns shows the missing record.`;
}

/** Like findUsableDomain, for paths and filters: throws "not_found". */
export async function findDomainForFilter(db: Db, workspaceId: number, slug: string): Promise<DomainRow> {
  const domain = await findBySlug(db, workspaceId, slug);
  if (domain === undefined) throw notFound("domain");
  return domain;
}

/** The workspace's own domain with this slug, written in any way. Throws "not_found". */
export async function findOwnDomain(db: Db, workspaceId: number, slug: string): Promise<DomainRow> {
  const domain = await findBySlug(db, workspaceId, slug);
  if (domain === undefined || domain.workspaceId !== workspaceId) throw notFound("domain");
  return domain;
}

/** The actor's domains that match, oldest first. `archived: true` lists only archived ones. */
export async function listDomains(
  { db }: Pick<Deps, "db">,
  actor: Actor,
  { page, pageSize, ...filter }: DomainFilter & { page: number; pageSize: number },
): Promise<DomainRow[]> {
  return await matching(db, actor, filter)
    .selectAll()
    .orderBy("id")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
}

/** The slugs of the actor's domains that the operator has blocked, in alphabetical order. */
export async function blockedDomains({ db }: Pick<Deps, "db">, actor: Actor, blocks: Blocks): Promise<string[]> {
  const domains = await db
    .selectFrom("domains")
    .select("slug")
    .where("workspaceId", "=", actor.workspaceId)
    .whereRef("slug", "<>", "id")
    .orderBy("slug")
    .execute();
  return domains.map(({ slug }) => slug).filter((slug) => blocks.hasDomain(slug));
}

/** The number of the actor's domains that match. */
export async function countMatchingDomains(
  { db }: Pick<Deps, "db">,
  actor: Actor,
  filter: DomainFilter,
): Promise<number> {
  return await countRows(matching(db, actor, filter));
}

function matching(db: Db, actor: Actor, { archived, search }: DomainFilter) {
  const query = db
    .selectFrom("domains")
    .where("workspaceId", "=", actor.workspaceId)
    .whereRef("slug", "<>", "id")
    .where("archived", "=", archived ? 1 : 0);
  if (search === undefined || search === "") return query;
  const whole = normalHost(search) ?? "";
  const isInside = containsText(engineOf(db), "slug", search.toLowerCase());
  return query.where((where) => where.or([isInside, where("slug", "=", whole)]));
}

/** The actor's domain with this slug. Throws "not_found". */
export async function getDomain({ db }: Pick<Deps, "db">, actor: Actor, slug: string): Promise<DomainRow> {
  return await findOwnDomain(db, actor.workspaceId, slug);
}

/**
 * Makes a domain primary: links are created on it when the caller names none. Replaces the former primary domain.
 * Throws "not_found"; "forbidden" for the instance's domain unless the actor is an owner; "conflict" for a pending
 * domain, whose links would not work, unless WAYPOST_UNVERIFIED_REDIRECTS is set.
 */
export async function makeDomainPrimary(
  { db, now, config }: PrimaryDeps,
  actor: Actor,
  slug: string,
): Promise<DomainRow> {
  return await transact(db, async (tx) => {
    await lockWorkspace(tx, actor.workspaceId);
    const domain = await findOwnDomain(tx, actor.workspaceId, slug);
    requireEditor(actor, domain);
    if (domain.primary === 1) return domain;
    if (domain.status === "pending" && !config.WAYPOST_UNVERIFIED_REDIRECTS) {
      throw new Problem("conflict", `${domain.slug} is not verified, so new links on it would not redirect.`, {
        hint: `Verify it first: ${whereRecordIs(domain.slug)}`,
      });
    }
    const at = now();
    const former = await tx
      .selectFrom("domains")
      .select(["id", "slug"])
      .where("workspaceId", "=", actor.workspaceId)
      .where("primary", "=", 1)
      .execute();
    for (const { id, slug: formerSlug } of former) await setPrimary(tx, actor, { id, slug: formerSlug }, 0, at);
    await setPrimary(tx, actor, domain, 1, at);
    return { ...domain, primary: 1, updatedAt: at };
  });
}

/** Throws "forbidden" unless the actor may edit the domain; only owners may edit the instance's domain. */
export function requireEditor(actor: Actor, domain: Pick<DomainRow, "isInstance">): void {
  if (domain.isInstance === 1) requireOwner(actor);
}

/** Throws "forbidden" while other workspaces have links on the domain, which would stop working without notice. */
export async function refuseWithForeignLinks(tx: Tx, { id, slug, workspaceId }: DomainRow): Promise<void> {
  if ((await findSharedDomain(tx, workspaceId, id)) === undefined) return;
  throw new Problem("forbidden", `Other workspaces have links on ${slug}, so it cannot be deleted or renamed.`);
}

/** The random part of an ownership record. */
export function newToken(): string {
  return randomBase62(tokenLength);
}

/**
 * Stores a domain with its root link and returns it; the first domain of a workspace becomes primary. Expects
 * lockWorkspace. Throws the database's error for a slug in use.
 */
export async function insertDomain(
  tx: Tx,
  owner: { workspaceId: number; userId: string | null },
  identity: Pick<DomainRow, "slug" | "status" | "isInstance">,
  settings: Partial<DomainSettings>,
  now: number,
): Promise<DomainRow> {
  const row: DomainRow = {
    id: newId("dom", now),
    workspaceId: owner.workspaceId,
    ...identity,
    failingSince: null,
    checkedAt: null,
    nextCheckAt: now,
    unansweredChecks: 0,
    token: newToken(),
    primary: (await countDomains(tx, owner.workspaceId)) === 0 ? 1 : 0,
    ...defaultSettings,
    ...settings,
    createdAt: now,
    updatedAt: now,
  };
  await tx.insertInto("domains").values(row).execute();
  await insertRootLink(tx, { userId: owner.userId, workspaceId: owner.workspaceId, domainId: row.id }, now);
  await emit(
    tx,
    eventBy(owner, "domain.created", row.id, now, {
      slug: row.slug,
      status: row.status,
      primary: row.primary === 1,
      ...asJson(settings),
    }),
  );
  return row;
}

/** True when another workspace holds the slug as verified or failing, so that this one cannot. */
export async function isProvenElsewhere(db: Db, workspaceId: number, slug: string): Promise<boolean> {
  const other = await db
    .selectFrom("domains")
    .select("id")
    .where("slug", "=", slug)
    .where("status", "<>", "pending")
    .where("workspaceId", "<>", workspaceId)
    .executeTakeFirst();
  return other !== undefined;
}

/** The ids of the workspace's deleted domains that still have links; usually none. */
export async function deletedDomainIds(db: Db, workspaceId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("domains")
    .select("id")
    .where("workspaceId", "=", workspaceId)
    .whereRef("slug", "=", "id")
    .execute();
  return rows.map(({ id }) => id);
}

/** The number of the workspace's domains. */
export async function countDomains(db: Db, workspaceId: number): Promise<number> {
  return await countRows(db.selectFrom("domains").where("workspaceId", "=", workspaceId).whereRef("slug", "<>", "id"));
}

/** Domains that one query counts: about 2 ms on SQLite. */
const countedPerPage = 2_000;
/** Pages of one count. */
const countedPagesMax = 1_000;

/**
 * The number of domains of all workspaces in each state, without the instance's own. Other work of the event loop runs
 * between two pages, so that changes during the count may be missing.
 */
export async function countDomainsByStatus(db: Db): Promise<Record<DomainStatus, number>> {
  const counts = { pending: 0, verified: 0, failing: 0 };
  let after = "";
  for (let pages = 0; pages < countedPagesMax; pages++) {
    const page = db
      .selectFrom("domains")
      .select(["id", "status", "isInstance", "slug"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(countedPerPage);
    const rows = await db
      .selectFrom(page.as("page"))
      .select(["status", (row) => row.fn.max("id").as("last")])
      .select(sql<number | string>`sum(case when "isInstance" = 0 and slug <> id then 1 else 0 end)`.as("domains"))
      .groupBy("status")
      .execute();
    if (rows.length === 0) break;
    for (const { status, domains } of rows) counts[status] += Number(domains);
    after = rows.reduce((last, row) => (row.last > last ? row.last : last), after);
    await setImmediate();
  }
  return counts;
}

/** Prepared, like the next two: every new link runs one of them. */
const selectPrimary = prepared((db, value: Slot<{ workspaceId: number }>) =>
  db
    .selectFrom("domains")
    .selectAll()
    .where("workspaceId", "=", value("workspaceId"))
    .where("primary", "=", 1)
    // An archived domain keeps its links but gets no new ones by default.
    .where("archived", "=", 0)
    .limit(1),
);

const selectInstance = prepared((db) => db.selectFrom("domains").selectAll().where("isInstance", "=", 1).limit(1));

const selectBySlug = prepared((db, value: Slot<{ workspaceId: number; slug: string }>) =>
  db
    .selectFrom("domains")
    .selectAll()
    .where("slug", "=", value("slug"))
    .where((where) => where.or([where("workspaceId", "=", value("workspaceId")), where("isInstance", "=", 1)]))
    .orderBy("isInstance", "desc")
    .limit(1),
);

async function findBySlug(db: Db, workspaceId: number, text: string): Promise<DomainRow | undefined> {
  const slug = normalHost(text);
  if (slug === undefined) return undefined;
  return (await selectBySlug(db, { workspaceId, slug }))[0];
}

/**
 * The stored form of a host as people write it; undefined for no host. Accepts more than normalizeSlug, because the
 * instance's domain may be localhost or an address, and people copy it with its port.
 */
export function normalHost(text: string): string | undefined {
  const reading = normalizeSlug(text);
  if (reading.kind === "slug") return reading.slug;
  const url = `http://${text.trim()}`;
  if (/[\s/\\?#@%]/.test(text.trim()) || !URL.canParse(url)) return undefined;
  return instanceSlug(new URL(url));
}

/**
 * Makes the workspace's oldest domain primary, if it has any; a pending one only when it has no other. Expects
 * lockWorkspace, and that there is no primary domain.
 */
export async function makeOldestPrimary(tx: Tx, actor: Actor, now: number): Promise<void> {
  const oldest = await tx
    .selectFrom("domains")
    .select(["id", "slug"])
    .where("workspaceId", "=", actor.workspaceId)
    .whereRef("slug", "<>", "id")
    .orderBy((domain) => domain.case().when("status", "=", "pending").then(1).else(0).end())
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined) await setPrimary(tx, actor, oldest, 1, now);
}

async function setPrimary(
  tx: Tx,
  actor: Actor,
  { id, slug }: Pick<DomainRow, "id" | "slug">,
  primary: Flag,
  now: number,
): Promise<void> {
  await tx.updateTable("domains").set({ primary, updatedAt: now }).where("id", "=", id).execute();
  await emit(
    tx,
    eventBy(actor, "domain.updated", id, now, {
      slug,
      before: { primary: primary === 0 },
      after: { primary: primary === 1 },
    }),
  );
}

async function insertRootLink(
  tx: Tx,
  owner: { userId: string | null; workspaceId: number; domainId: string },
  now: number,
): Promise<void> {
  await tx
    .insertInto("links")
    .values({
      id: newId("link", now),
      ...owner,
      key: rootKey,
      foldedKey: rootKey,
      url: "",
      createdAt: now,
      updatedAt: now,
    })
    .execute();
}
