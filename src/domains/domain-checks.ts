import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { newId } from "../base/ids.ts";
import { dayMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { DomainChecksTable } from "../database/domain-tables.ts";
import type { Tx } from "../database/outbox.ts";
import { findOwnDomain } from "./domains.ts";

/**
 * The history of a domain's checks.
 *
 * 1. Checks in a row with the same outcome and status share a row, which counts them: six months of successful checks
 *    take one row.
 * 2. A domain keeps at most checksPerDomainMax rows, none older than retentionMs. Each check removes what is too much,
 *    so that no other work is needed.
 * 3. Renaming a domain clears its history, which is about the former name.
 */

/** Rows of one domain. */
export const checksPerDomainMax = 50;
const retentionMs = 365 * dayMs;

/** Checks in a row with the same outcome; instants are milliseconds since the epoch. */
export type DomainCheck = Omit<Selectable<DomainChecksTable>, "domainId">;

/** The outcome of one check. */
type CheckResult = Pick<DomainCheck, "outcome" | "status" | "message">;

/** The checks of a domain of the actor's workspace, newest first; at most checksPerDomainMax. Throws "not_found". */
export async function listDomainChecks(
  { db }: { db: Db },
  actor: Actor,
  { slug }: { slug: string },
): Promise<DomainCheck[]> {
  const domain = await findOwnDomain(db, actor.workspaceId, slug);
  return await db
    .selectFrom("domainChecks")
    .select(["id", "outcome", "status", "message", "checks", "firstAt", "lastAt"])
    .where("domainId", "=", domain.id)
    .orderBy("lastAt", "desc")
    .orderBy("id", "desc")
    .limit(checksPerDomainMax)
    .execute();
}

/** Adds a check to the history of a domain. */
export async function recordCheck(
  tx: Tx,
  domainId: string,
  { outcome, status, message }: CheckResult,
  now: number,
): Promise<void> {
  const newest = await tx
    .selectFrom("domainChecks")
    .select(["id", "outcome", "status", "checks"])
    .where("domainId", "=", domainId)
    .orderBy("lastAt", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest !== undefined && newest.outcome === outcome && newest.status === status) {
    const checks = newest.checks + 1;
    await tx.updateTable("domainChecks").set({ message, checks, lastAt: now }).where("id", "=", newest.id).execute();
    return;
  }
  await tx
    .insertInto("domainChecks")
    .values({ id: newId("chk", now), domainId, outcome, status, message, checks: 1, firstAt: now, lastAt: now })
    .execute();
  await removeOldChecks(tx, domainId, now);
}

async function removeOldChecks(tx: Tx, domainId: string, now: number): Promise<void> {
  const kept = tx
    .selectFrom("domainChecks")
    .select("id")
    .where("domainId", "=", domainId)
    .orderBy("lastAt", "desc")
    .orderBy("id", "desc")
    .limit(checksPerDomainMax);
  await tx
    .deleteFrom("domainChecks")
    .where("domainId", "=", domainId)
    .where((row) => row.or([row("lastAt", "<", now - retentionMs), row("id", "not in", kept)]))
    .execute();
}

/** Clears the history of a domain whose name changes. */
export async function forgetChecks(tx: Tx, domainId: string): Promise<void> {
  await tx.deleteFrom("domainChecks").where("domainId", "=", domainId).execute();
}
