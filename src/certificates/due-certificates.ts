/**
 * Which certificates are ordered next.
 *
 * 1. The number of orders in a window stays below the limit of Let's Encrypt, 300 in three hours for one account.
 * 2. A workspace that took its share of a window waits while names of others are due. So one with thousands of domains
 *    delays no other one by hours, and alone it still gets the whole window.
 * 3. Names of domains come before the optional ones with "www.".
 */
import { setImmediate } from "node:timers/promises";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { withoutWww } from "../domains/domain.ts";
import type { CertificateRow } from "./certificate.ts";
import { isOptional, isProvenName } from "./proven-names.ts";

/** Due names that one step takes. */
export const namesPerStepMax = 40;
const ordersWindowMs = 3 * hourMs;
const ordersPerWindowMax = 280;
/** Orders of a window from which a workspace waits for others. At most two workspaces can have as many. */
const ordersOfWorkspaceMax = 140;
/** Names that one query looks at, and such queries of one step. */
const namesPerPage = 2_000;
const pagesMax = 200;

/** The due certificates to order now, in order; at most namesPerStepMax. */
export async function dueCertificates({ db, now }: { db: Db; now: () => number }): Promise<CertificateRow[]> {
  const at = now();
  const ordered = await orderedNames(db, at - ordersWindowMs);
  const limit = Math.min(ordersPerWindowMax - ordered.length, namesPerStepMax);
  if (limit <= 0) return [];
  const heavy = await heavyWorkspaces(db, ordered);
  const first = heavy.length === 0 ? [] : await dueOfOthers(db, { at, heavy, limit });
  const names = new Set(first.map(({ name }) => name));
  const rest = (await longestDue(db, at, limit)).filter(({ name }) => !names.has(name));
  return [...first, ...rest].slice(0, limit);
}

/** The due certificates in the order of their times, optional names last. */
async function longestDue(db: Db, at: number, limit: number): Promise<CertificateRow[]> {
  // An index has this order; another one would sort everything that is due.
  const due = db.selectFrom("certificates").selectAll().where("nextAt", "<=", at).orderBy("nextAt");
  const proven = due.where(isProvenName(db));
  const rows = await proven.where(sql<SqlBool>`not ${isOptional}`).limit(limit).execute();
  if (rows.length === limit) return rows;
  const optional = proven.where(isOptional).limit(limit - rows.length);
  return [...rows, ...(await optional.execute())];
}

/**
 * The due certificates of other workspaces than `heavy`, by name. Other work of the event loop runs between two pages: 40,000
 * names of a heavy workspace at once would delay a visitor by 85 ms.
 */
async function dueOfOthers(
  db: Db,
  { at, heavy, limit }: { at: number; heavy: readonly number[]; limit: number },
): Promise<CertificateRow[]> {
  const rows: CertificateRow[] = [];
  const bare = ownersOf(db, heavy, sql`certificates.name`);
  const optional = ownersOf(db, heavy, sql`substr(certificates.name, 5)`);
  const isOwned = sql<SqlBool>`exists ${bare} or (${isOptional} and exists ${optional})`;
  let after = "";
  for (let pages = 0; pages < pagesMax && rows.length < limit; pages++) {
    const following = db.selectFrom("certificates").where("name", ">", after).orderBy("name");
    const last = await following
      .select("name")
      .limit(1)
      .offset(namesPerPage - 1)
      .executeTakeFirst();
    const page = last === undefined ? following : following.where("name", "<=", last.name);
    const found = page
      .selectAll()
      .where("nextAt", "<=", at)
      .where(isProvenName(db))
      .where(sql<SqlBool>`not (${isOwned})`)
      .limit(limit - rows.length);
    rows.push(...(await found.execute()));
    if (last === undefined) break;
    after = last.name;
    await setImmediate();
  }
  return rows;
}

function ownersOf(db: Db, workspaceIds: readonly number[], slug: RawBuilder<unknown>) {
  return db
    .selectFrom("domains")
    .select("id")
    .where("workspaceId", "in", workspaceIds)
    .where(sql<SqlBool>`domains.slug = ${slug}`);
}

/** The names ordered since then, at most ordersPerWindowMax and those of one step. */
async function orderedNames(db: Db, since: number): Promise<string[]> {
  const rows = await db.selectFrom("certificates").select("name").where("orderedAt", ">", since).execute();
  return rows.map(({ name }) => name);
}

/** The workspaces whose domains have at least ordersOfWorkspaceMax of the names. */
async function heavyWorkspaces(db: Db, names: readonly string[]): Promise<number[]> {
  if (names.length < ordersOfWorkspaceMax) return [];
  const slugs = names.flatMap((name) => [name, withoutWww(name) ?? name]);
  const domains = await db.selectFrom("domains").select(["slug", "workspaceId"]).where("slug", "in", slugs).execute();
  const owners = new Map(domains.map(({ slug, workspaceId }) => [slug, workspaceId]));
  const counts = new Map<number, number>();
  for (const name of names) {
    const owner = owners.get(name) ?? owners.get(withoutWww(name) ?? name);
    if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= ordersOfWorkspaceMax).map(([workspaceId]) => workspaceId);
}
