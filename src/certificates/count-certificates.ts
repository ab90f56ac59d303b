import { dayMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Metrics } from "../metrics.ts";
import { certificateState, certificateStates } from "./certificate.ts";
import { provenDomains } from "./proven-domains.ts";

/** Names read at a time. */
const rowsAtOnce = 1_000;
/** Names counted at most. */
const rowsMax = 100_000;
/** How long a certificate outlives its domain, which may be added again. */
const keepMs = 30 * dayMs;
/** Certificates deleted at a time. */
const deletedMax = 500;

type Deps = { db: Db; now: () => number; metrics: Pick<Metrics, "certificates" | "certificateExpiry"> };

/** Counts the certificates of current domains by state, and deletes those of domains that are long gone. */
export async function countCertificates(deps: Deps): Promise<void> {
  await deleteUnused(deps);
  const { db, now, metrics } = deps;
  const counts = new Map(certificateStates.map((state) => [state, 0]));
  let expiry: number | undefined;
  let after = "";
  for (let rows = 0; rows < rowsMax; rows += rowsAtOnce) {
    const page = await db
      .selectFrom("certificates")
      .select(["name", "notAfter", "orderUrl", "problem", "problemKind"])
      .where("name", ">", after)
      .where("name", "in", provenDomains(db).select("slug"))
      .orderBy("name")
      .limit(rowsAtOnce)
      .execute();
    for (const row of page) {
      const state = certificateState(row, now());
      counts.set(state, (counts.get(state) ?? 0) + 1);
      if (row.notAfter !== null) expiry = Math.min(expiry ?? row.notAfter, row.notAfter);
    }
    after = page.at(-1)?.name ?? "";
    if (page.length < rowsAtOnce) break;
  }
  for (const [state, count] of counts) metrics.certificates.set({ state }, count);
  metrics.certificateExpiry.set(expiry === undefined ? 0 : Math.floor(expiry / secondMs));
}

async function deleteUnused({ db, now }: Deps): Promise<void> {
  const unused = await db
    .selectFrom("certificates")
    .select("name")
    .where("changedAt", "<", now() - keepMs)
    .where("name", "not in", (where) => where.selectFrom("domains").select("slug"))
    .limit(deletedMax)
    .execute();
  const names = unused.map(({ name }) => name);
  if (names.length > 0) await db.deleteFrom("certificates").where("name", "in", names).execute();
}
