import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { dayMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Metrics } from "../metrics.ts";
import { certificateState, certificateStates } from "./certificate.ts";
import { isAbandoned, needsCertificate } from "./proven-names.ts";

/** Names that one query reads. */
const batchRowsMax = 1_000;
/** Names counted at most. */
const rowsMax = 100_000;
/** How long a certificate outlives its domain, which may be added again. */
const keepMs = 30 * dayMs;

type Deps = { db: Db; now: () => number; metrics: Pick<Metrics, "certificates" | "certificateExpiry"> };

/**
 * Counts the certificates of current domains by state, and deletes those of domains that are long gone. Other work of
 * the event loop runs between two pages.
 */
export async function countCertificates({ db, now, metrics }: Deps): Promise<void> {
  const counts = new Map(certificateStates.map((state) => [state, 0]));
  let expiry: number | undefined;
  let after = "";
  for (let rows = 0; rows < rowsMax; rows += batchRowsMax) {
    const page = await readPage(db, after);
    for (const row of page.filter(({ isNeeded }) => isNeeded === 1)) {
      const state = certificateState(row, now());
      counts.set(state, (counts.get(state) ?? 0) + 1);
      if (row.notAfter !== null) expiry = Math.min(expiry ?? row.notAfter, row.notAfter);
    }
    await deleteAbandoned(db, page, now() - keepMs);
    after = page.at(-1)?.name ?? "";
    if (page.length < batchRowsMax) break;
    await setImmediate();
  }
  for (const [state, count] of counts) metrics.certificates.set({ state }, count);
  metrics.certificateExpiry.set(expiry === undefined ? 0 : Math.floor(expiry / secondMs));
}

type CountedRow = Awaited<ReturnType<typeof readPage>>[number];

async function readPage(db: Db, after: string) {
  return await db
    .selectFrom("certificates")
    .select(["name", "notAfter", "orderUrl", "problem", "problemKind", "changedAt"])
    .select([
      sql<0 | 1>`case when ${needsCertificate(db)} then 1 else 0 end`.as("isNeeded"),
      sql<0 | 1>`case when ${isAbandoned} then 1 else 0 end`.as("isAbandoned"),
    ])
    .where("name", ">", after)
    .orderBy("name")
    .limit(batchRowsMax)
    .execute();
}

async function deleteAbandoned(db: Db, page: CountedRow[], before: number): Promise<void> {
  const names = page.filter((row) => row.isAbandoned === 1 && row.changedAt < before).map(({ name }) => name);
  if (names.length > 0) await db.deleteFrom("certificates").where("name", "in", names).execute();
}
