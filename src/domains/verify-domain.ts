import type { Actor } from "../access/actor.ts";
import { notFound } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type RecordedEvent } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { nextCheckAt } from "./check-schedule.ts";
import type { Resolver } from "./dns.ts";
import { isProof, judge, ownershipRecord, type Verdict } from "./domain.ts";
import { recordCheck } from "./domain-checks.ts";
import type { DomainRow } from "./domains.ts";
import { askNameServers } from "./name-servers.ts";

/**
 * Checks the ownership of a domain, on request or periodically.
 *
 * 1. DNS is asked before any transaction: a resolver, within its budget, and if that does not find the record, the
 *    domain's name servers, whose answer is never stale.
 * 2. A verdict is stored only over the state it was derived from (status, failingSince, token). If that has changed,
 *    the new state is judged by the same answer; if the name has changed, the answer is discarded.
 * 3. If several workspaces verify one slug, the first wins: the unique index on verified slugs decides.
 * 4. The instance's domain is never checked.
 * 5. A verdict, its entry in the history and the time of the next check are stored in one transaction.
 */

/** Changes of state during one check that are followed. */
const judgementsMax = 3;

/** The result of a check; success says whether the domain is verified now. */
type Verification = { success: boolean; message: string };

/** The dependencies of a check. */
export type VerifyDeps = { db: Db; now: () => number; resolver: Resolver };

/** The columns that a check needs; the others of a domain may be large. */
export const checkedColumns = [
  ...(["id", "workspaceId", "slug", "token", "isInstance"] as const),
  ...(["status", "failingSince", "updatedAt", "unansweredChecks"] as const),
] as const;
/** A domain as a check needs it. */
export type CheckedDomain = Pick<DomainRow, (typeof checkedColumns)[number]>;

type Outcome = "stored" | "changed" | "provenElsewhere";

/**
 * Checks the ownership record of a domain of the actor's workspace and stores its next state.
 * Throws "not_found" for an id that the workspace does not have.
 */
export async function verifyDomain(deps: VerifyDeps, actor: Actor, id: string): Promise<Verification> {
  const domain = await deps.db
    .selectFrom("domains")
    .select(checkedColumns)
    .where("id", "=", id)
    .where("workspaceId", "=", actor.workspaceId)
    .whereRef("slug", "<>", "id")
    .executeTakeFirst();
  const verification = domain === undefined ? undefined : await check(deps, domain, actor);
  if (verification === undefined) throw notFound("domain");
  return verification;
}

/** Like verifyDomain, for the service itself; undefined if the domain has just been deleted. */
export async function recheckDomain(deps: VerifyDeps, domain: CheckedDomain): Promise<Verification | undefined> {
  return await check(deps, domain, { userId: null });
}

/** The caller behind a check; userId is null for the service itself. */
type Checker = Pick<RecordedEvent, "userId" | "apiKeyId">;

async function check(deps: VerifyDeps, domain: CheckedDomain, checker: Checker): Promise<Verification | undefined> {
  if (domain.isInstance === 1) {
    return { success: true, message: `${domain.slug} is this service's own domain; it needs no record.` };
  }
  const { name } = ownershipRecord(domain.slug, domain.token);
  const lookup = await deps.resolver.lookupTxt(name);
  const isSettled = lookup.kind === "unreachable" || isProof(lookup, domain);
  const nameServers = isSettled ? [] : await askNameServers(deps.resolver, { slug: domain.slug, name });
  let current = domain;
  for (let judgements = 0; judgements < judgementsMax; judgements++) {
    const now = deps.now();
    const verdict = judge(current, lookup, now, nameServers);
    const outcome = await storeVerdict(deps.db, current, verdict, { checker, now });
    if (outcome === "stored") return { success: verdict.success, message: verdict.message };
    if (outcome === "provenElsewhere") return await refuseAsSecond(deps.db, current, now);
    const reread = await deps.db
      .selectFrom("domains")
      .select(checkedColumns)
      .where("id", "=", domain.id)
      .executeTakeFirst();
    if (reread === undefined) return undefined;
    if (reread.slug !== domain.slug) break;
    current = reread;
  }
  return { success: false, message: `${domain.slug} was changed during this check. Nothing was stored; check again.` };
}

async function storeVerdict(
  db: Db,
  domain: CheckedDomain,
  verdict: Verdict,
  { checker, now }: { checker: Checker; now: number },
): Promise<Outcome> {
  const { status, failingSince } = verdict;
  const isMoved = status !== domain.status;
  const updatedAt = isMoved ? now : domain.updatedAt;
  const unansweredChecks = verdict.outcome === "unanswered" ? domain.unansweredChecks + 1 : 0;
  const next = nextCheckAt({ status, unansweredChecks, updatedAt }, { now, random: Math.random() });
  try {
    return await transact(db, async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("domains")
        .set({ status, failingSince, checkedAt: now, nextCheckAt: next, unansweredChecks })
        .set(isMoved ? { updatedAt } : {})
        .where("id", "=", domain.id)
        .where("status", "=", domain.status)
        .where("failingSince", "is not distinct from", domain.failingSince)
        .where("token", "=", domain.token)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return "changed";
      await recordCheck(tx, domain.id, verdict, now);
      if (isMoved) {
        await emit(
          tx,
          eventBy({ ...checker, workspaceId: domain.workspaceId }, "domain.statusChanged", domain.id, now, {
            slug: domain.slug,
            before: { status: domain.status },
            after: { status },
          }),
        );
      }
      return "stored";
    });
  } catch (error) {
    if (violatedIndex(error) === "provenDomain") return "provenElsewhere";
    throw error;
  }
}

/** Only a pending domain can lose, since the unique index allows one verified domain per slug. */
async function refuseAsSecond(db: Db, domain: CheckedDomain, now: number): Promise<Verification> {
  const { status, updatedAt } = domain;
  const next = nextCheckAt({ status, unansweredChecks: 0, updatedAt }, { now, random: Math.random() });
  const message = `The TXT record was found, but ${domain.slug} is already verified in another workspace, so it stays pending here.`;
  await transact(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("domains")
      .set({ checkedAt: now, nextCheckAt: next, unansweredChecks: 0 })
      .where("id", "=", domain.id)
      .where("token", "=", domain.token)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) await recordCheck(tx, domain.id, { outcome: "taken", status, message }, now);
  });
  return { success: false, message };
}
