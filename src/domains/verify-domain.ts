import type { Actor } from "../access/actor.ts";
import { notFound } from "../base/problem.ts";
import { dayMs, hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import type { Resolver } from "./dns.ts";
import { judge, ownershipRecord, type Verdict } from "./domain.ts";
import type { DomainRow } from "./domains.ts";

/**
 * Checks the ownership of a domain, on request or periodically.
 *
 * 1. DNS is asked before any transaction, once per check, within the resolver's budget.
 * 2. A verdict is stored only over the state it was derived from (status, failingSince, token). If that has changed,
 *    the new state is judged by the same answer; if the name has changed, the answer is discarded.
 * 3. If several workspaces verify one slug, the first wins: the unique index on verified slugs decides.
 * 4. The instance's domain is never checked.
 */

/** Interval of the checks of a domain whose links work. */
const provenRecheckMs = 6 * hourMs;
/** Interval of the checks of a pending domain while its owner is likely to be setting it up. */
const pendingRecheckMs = hourMs;
/** Interval of the checks of a pending domain afterwards. */
const oldPendingRecheckMs = dayMs;
/** How long a pending domain counts as being set up, from its last change. */
const setUpMs = 14 * dayMs;

/** Changes of state during one check that are followed. */
const judgementsMax = 3;

/** The result of a check; success says whether the domain is verified now. */
type Verification = { success: boolean; message: string };

type Deps = { db: Db; now: () => number; resolver: Pick<Resolver, "lookupTxt"> };
type Outcome = "stored" | "changed" | "provenElsewhere";

/**
 * Checks the ownership record of a domain of the actor's workspace and stores its next state.
 * Throws "not_found" for an id that the workspace does not have.
 */
export async function verifyDomain(deps: Deps, actor: Actor, id: string): Promise<Verification> {
  const domain = await deps.db
    .selectFrom("domains")
    .selectAll()
    .where("id", "=", id)
    .where("workspaceId", "=", actor.workspaceId)
    .whereRef("slug", "<>", "id")
    .executeTakeFirst();
  const verification = domain === undefined ? undefined : await check(deps, domain, actor.userId);
  if (verification === undefined) throw notFound("domain");
  return verification;
}

/** Like verifyDomain, for the service itself; undefined for a domain that was deleted in between. */
export async function recheckDomain(deps: Deps, domain: DomainRow): Promise<Verification | undefined> {
  return await check(deps, domain, null);
}

/** The domains that are due for a check by the intervals above, longest unchecked first; at most `limit`. */
export async function domainsDueForRecheck(db: Db, now: number, limit: number): Promise<DomainRow[]> {
  return await db
    .selectFrom("domains")
    .selectAll()
    .where("isInstance", "=", 0)
    // Deleted domains and domains of deleted workspaces are being erased.
    .whereRef("slug", "<>", "id")
    .where("workspaceId", "not in", (where) => where.selectFrom("erasures").select("workspaceId"))
    // Their domains are below .example, which no name server knows.
    .where("workspaceId", "not in", (where) => where.selectFrom("examples").select("workspaceId"))
    .where((where) =>
      where.or([
        where("checkedAt", "is", null),
        where("checkedAt", "<=", now - oldPendingRecheckMs),
        where.and([where("status", "<>", "pending"), where("checkedAt", "<=", now - provenRecheckMs)]),
        where.and([
          where("status", "=", "pending"),
          where("updatedAt", ">", now - setUpMs),
          where("checkedAt", "<=", now - pendingRecheckMs),
        ]),
      ]),
    )
    // The engines disagree on where null sorts.
    .orderBy((row) => row.fn.coalesce("checkedAt", row.lit(0)))
    .orderBy("id")
    .limit(limit)
    .execute();
}

async function check(deps: Deps, domain: DomainRow, userId: string | null): Promise<Verification | undefined> {
  if (domain.isInstance === 1) {
    return { success: true, message: `${domain.slug} is this instance's own domain; it needs no record.` };
  }
  const lookup = await deps.resolver.lookupTxt(ownershipRecord(domain.slug, domain.token).name);
  let current = domain;
  for (let judgements = 0; judgements < judgementsMax; judgements++) {
    const now = deps.now();
    const verdict = judge(current, lookup, now);
    const outcome = await storeVerdict(deps.db, current, verdict, { userId, now });
    if (outcome === "stored") return { success: verdict.success, message: verdict.message };
    if (outcome === "provenElsewhere") return await refuseAsSecond(deps.db, current, now);
    const reread = await deps.db.selectFrom("domains").selectAll().where("id", "=", domain.id).executeTakeFirst();
    if (reread === undefined) return undefined;
    if (reread.slug !== domain.slug) break;
    current = reread;
  }
  return { success: false, message: `${domain.slug} was changed during this check. Nothing was stored; check again.` };
}

async function storeVerdict(
  db: Db,
  domain: DomainRow,
  { status, failingSince }: Verdict,
  { userId, now }: { userId: string | null; now: number },
): Promise<Outcome> {
  const isMoved = status !== domain.status;
  try {
    return await transact(db, async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("domains")
        .set({ status, failingSince, checkedAt: now, ...(isMoved ? { updatedAt: now } : {}) })
        .where("id", "=", domain.id)
        .where("status", "=", domain.status)
        .where("failingSince", "is not distinct from", domain.failingSince)
        .where("token", "=", domain.token)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return "changed";
      if (isMoved) {
        await emit(
          tx,
          eventBy({ workspaceId: domain.workspaceId, userId }, "domain.statusChanged", domain.id, now, {
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
async function refuseAsSecond(db: Db, domain: DomainRow, now: number): Promise<Verification> {
  await db.updateTable("domains").set({ checkedAt: now }).where("id", "=", domain.id).execute();
  return {
    success: false,
    message: `The TXT record was found, but ${domain.slug} is already verified in another workspace, so it stays pending here.`,
  };
}
