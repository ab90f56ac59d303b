/**
 * Which certificates are ordered next.
 *
 * 1. The number of orders in a window stays below the limit of Let's Encrypt, 300 in three hours for one account.
 * 2. Workspaces take turns, beginning with the one that had the fewest orders in the window. So one with a thousand
 *    domains delays no other one by hours. An order counts for its workspace even when its domain is deleted.
 * 3. A workspace that has had reservedTurns turns leaves the last ordersReserved of a window to others. Otherwise names
 *    that others add would wait for the end of the window.
 * 4. The instance's host comes first. Of a workspace's names, the optional ones with "www." come last.
 *
 * Known weaknesses: a person with several workspaces has a turn for each; WAYPOST_MAX_WORKSPACES limits them. A name
 * that is ordered twice in a window, after a refusal, counts once.
 */
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { CertificateRow } from "./certificate.ts";
import { instanceItself, isOptional, isProvenName, workspaceOfName } from "./proven-names.ts";

/** Due names that one step takes. */
export const namesPerStepMax = 40;
const ordersWindowMs = 3 * hourMs;
const ordersPerWindowMax = 280;
/** The last orders of a window, which are for the first turns of each workspace. */
const ordersReserved = 40;
const reservedTurns = 10;
/** Names that one query looks at, and such queries of one step. */
const namesPerPage = 2_000;
const pagesMax = 200;

/** A due name and the workspace of its domain. */
type DueName = { name: string; nextAt: number; isOptional: 0 | 1; workspaceId: number };

/** The due certificates to order now, in order; at most namesPerStepMax. */
export async function dueCertificates({ db, now }: { db: Db; now: () => number }): Promise<CertificateRow[]> {
  const at = now();
  const orders = await ordersByWorkspace(db, at);
  const ordered = [...orders.values()].reduce((sum, count) => sum + count, 0);
  if (ordered >= ordersPerWindowMax) return [];
  return await rowsOf(db, inTurn(await dueNames(db, at), orders, ordered));
}

/** The number of orders in the window of each workspace; null for those of earlier versions. */
async function ordersByWorkspace(db: Db, at: number): Promise<Map<number | null, number>> {
  const rows = await db
    .selectFrom("certificates")
    .select(["orderedFor", ({ fn }) => fn.countAll<number | string>().as("orders")])
    .where("orderedAt", ">", at - ordersWindowMs)
    // A later time was written while the clock was ahead.
    .where("orderedAt", "<=", at)
    .groupBy("orderedFor")
    .execute();
  return new Map(rows.map(({ orderedFor, orders }) => [orderedFor, Number(orders)]));
}

/** The due names: all, or the first namesPerStepMax of each workspace. */
async function dueNames(db: Db, at: number): Promise<DueName[]> {
  // An index has this order. Without a backlog, no other row is read.
  const some = selectDue(db, at).where(isProvenName(db)).orderBy("nextAt");
  const found = await some.limit(namesPerStepMax + 1).execute();
  return found.length <= namesPerStepMax ? found.filter(hasWorkspace) : await firstOfEachWorkspace(db, at);
}

function selectDue(db: Db, at: number) {
  return db
    .selectFrom("certificates")
    .select(["name", "nextAt", workspaceOfName(db).as("workspaceId")])
    .select(sql<0 | 1>`case when ${isOptional} then 1 else 0 end`.as("isOptional"))
    .where("nextAt", "<=", at);
}

function hasWorkspace(due: Omit<DueName, "workspaceId"> & { workspaceId: number | null }): due is DueName {
  return due.workspaceId !== null;
}

/**
 * The first due names of each workspace. Other work of the event loop runs between two pages: 40,000 names at once
 * would delay a visitor by 85 ms.
 */
async function firstOfEachWorkspace(db: Db, at: number): Promise<DueName[]> {
  const first = new Map<number, DueName[]>();
  let after = "";
  for (let pages = 0; pages < pagesMax; pages++) {
    const following = db.selectFrom("certificates").select("name").where("name", ">", after).orderBy("name");
    const last = await following
      .limit(1)
      .offset(namesPerPage - 1)
      .executeTakeFirst();
    let page = selectDue(db, at).where("name", ">", after);
    if (last !== undefined) page = page.where("name", "<=", last.name);
    const found = (await page.execute()).filter(hasWorkspace);
    for (const [workspaceId, names] of Map.groupBy(found, (due) => due.workspaceId)) {
      const both = [...(first.get(workspaceId) ?? []), ...names].sort(compareOfWorkspace);
      first.set(workspaceId, both.slice(0, namesPerStepMax));
    }
    if (last === undefined) break;
    after = last.name;
    await setImmediate();
  }
  return [...first.values()].flat();
}

function compareOfWorkspace(one: DueName, other: DueName): number {
  return one.isOptional - other.isOptional || one.nextAt - other.nextAt;
}

/** The names to order in this step, in turn; pure. `ordered` is the sum of the orders of all workspaces. */
function inTurn(due: readonly DueName[], orders: ReadonlyMap<number | null, number>, ordered: number): string[] {
  const turns = [...Map.groupBy(due, ({ workspaceId }) => workspaceId)].flatMap(([workspaceId, names]) => {
    const had = workspaceId === instanceItself ? -1 : (orders.get(workspaceId) ?? 0);
    return names.toSorted(compareOfWorkspace).map((name, index) => ({ ...name, turn: had + index }));
  });
  turns.sort((one, other) => one.turn - other.turn || compareOfWorkspace(one, other));
  const chosen: string[] = [];
  for (const { name, turn } of turns) {
    const ordersMax = turn < reservedTurns ? ordersPerWindowMax : ordersPerWindowMax - ordersReserved;
    if (chosen.length === namesPerStepMax || ordered + chosen.length >= ordersMax) break;
    chosen.push(name);
  }
  return chosen;
}

/** The rows of these names, in the same order. */
async function rowsOf(db: Db, names: readonly string[]): Promise<CertificateRow[]> {
  if (names.length === 0) return [];
  const rows = await db.selectFrom("certificates").selectAll().where("name", "in", names).execute();
  const byName = new Map(rows.map((row) => [row.name, row]));
  return names.flatMap((name) => byName.get(name) ?? []);
}
