import type { Db } from "../database/database.ts";
import { checkPauseMaxMs } from "./check-schedule.ts";
import { type CheckedDomain, checkedColumns, recheckDomain, type VerifyDeps } from "./verify-domain.ts";

/**
 * Checks the domains that are due.
 *
 * 1. At most concurrentChecksMax checks run at the same time, and the next begins when one of them ends: a slow name
 *    server takes one slot for at most the time of a check, and no batch waits for its slowest check.
 * 2. Domains whose last check got no answer have separate, fewer slots (`unanswered`). So name servers that are down
 *    never use up the slots of the others, however many domains they serve.
 * 3. Workspaces take turns, so that one with a thousand slow domains delays the others by one step at most.
 * 4. Capacity: 10,000 verified domains need 10,000 / 6 h = 0.5 checks a second, 10,000 failing ones 5.6. A resolver
 *    that answers within 100 ms allows concurrentChecksMax / 0.1 s = 160 a second; one that takes a second, 16.
 * 5. A step is bounded by stepChecksMax checks; a restart repeats none, since each check stores the time of the next.
 */

/** The most concurrent checks, of domains whose last check was answered and of others. */
const concurrentChecksMax = { answered: 16, unanswered: 4 };
/** The most checks of one step. */
const stepChecksMax = 160;

/** Which domains to check: those whose last check was answered, or the others. */
type RecheckGroup = keyof typeof concurrentChecksMax;

/** Checks due domains of a group; "again" when more may be due. Stops early, between two checks, with the signal. */
export async function recheckDueDomains(
  deps: VerifyDeps,
  group: RecheckGroup,
  stopping?: AbortSignal,
): Promise<"again" | "idle"> {
  const due = await domainsDueForRecheck(deps.db, { group, now: deps.now(), limit: stepChecksMax });
  // The workers share this iterator, so that each domain is checked once.
  const queue = due.values();
  const work = async () => {
    for (const domain of queue) {
      if (stopping?.aborted === true) return;
      await recheckDomain(deps, domain);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrentChecksMax[group], due.length) }, work));
  return due.length === stepChecksMax ? "again" : "idle";
}

/**
 * The domains of a group that are due for a check, at most `limit`: first the longest overdue domain of each workspace,
 * then the second one of each, and so on. Domains that were checked while the clock was ahead are due, too.
 */
export async function domainsDueForRecheck(
  db: Db,
  { group, now, limit }: { group: RecheckGroup; now: number; limit: number },
): Promise<CheckedDomain[]> {
  const due = db
    .selectFrom("domains")
    .select([...checkedColumns, "nextCheckAt"])
    .select(({ fn }) =>
      fn
        .agg<number>("row_number")
        .over((turns) => turns.partitionBy("workspaceId").orderBy("nextCheckAt").orderBy("id"))
        .as("turn"),
    )
    .where((where) => where.or([where("nextCheckAt", "<=", now), where("nextCheckAt", ">", now + checkPauseMaxMs)]))
    .where("unansweredChecks", group === "answered" ? "=" : ">", 0)
    .where("isInstance", "=", 0)
    // Deleted domains and domains of deleted workspaces are being erased.
    .whereRef("slug", "<>", "id")
    .where("workspaceId", "not in", (where) => where.selectFrom("erasures").select("workspaceId"))
    // Their domains are below .example, which no name server knows.
    .where("workspaceId", "not in", (where) => where.selectFrom("examples").select("workspaceId"));
  return await db
    .selectFrom(due.as("due"))
    .select(checkedColumns)
    .orderBy("turn")
    .orderBy("nextCheckAt")
    .orderBy("id")
    .limit(limit)
    .execute();
}
