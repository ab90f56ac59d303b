import { findTimeZone, utc } from "../analytics/time-zone.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { minuteMs } from "../base/time.ts";
import type { NotificationKind } from "../database/notification-tables.ts";
import { transact } from "../database/transact.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type ComposedMail, composeNotification, type MailSubject } from "./compose-notification.ts";
import { allowedAddress, type DueNotification, findDueNotifications } from "./due-notifications.ts";
import { recordAnnouncement, withdrawAnnouncement } from "./failing-domains.ts";
import type { ReadReportDeps } from "./read-report.ts";
import { nextDue } from "./schedule.ts";
import { subscribeOwners } from "./subscribe-owners.ts";

/**
 * Sends the due notifications.
 *
 * 1. A mail is composed, then claimed in one transaction, then sent. The claim records what the mail covers and the next
 *    time, so no crash and no second process sends it twice.
 * 2. A mail that the server refused gives its claim back and is tried again, attemptsMax times at growing intervals, with
 *    the same Message-ID.
 * 3. Known weakness: a process that is killed between the claim and the server's acceptance, about a tenth of a second,
 *    loses this mail. The alternative would be a mail that arrives twice.
 * 4. One notification that fails delays no other one.
 */

/** Notifications of one step. Each takes at most five queries and one mail. */
const stepNotificationsMax = 5;
/** Attempts at one mail; the pause doubles after each. */
const attemptsMax = 6;
const firstRetryMs = 5 * minuteMs;

/** The dependencies of notifications. */
export type SendDeps = ReadReportDeps & {
  mailer: Mailer;
  log: Pick<Log, "warn" | "error">;
  /** Called for each mail. */
  onOutcome: (kind: NotificationKind, outcome: "sent" | "failed") => void;
};

/** Sends the mails of the next due notifications; "again" while there may be more. Without a mail server, none is due. */
export async function sendDueNotifications(deps: SendDeps, stopping?: AbortSignal): Promise<"again" | "idle"> {
  if (!deps.mailer.hasServer) return "idle";
  await subscribeOwners(deps);
  const due = await findDueNotifications(deps.db, deps.now(), stepNotificationsMax);
  for (const notification of due) {
    // A mail may take ten seconds, which a stop should not wait for several times.
    if (stopping?.aborted === true) return "idle";
    await sendOne(deps, notification);
  }
  return due.length === stepNotificationsMax ? "again" : "idle";
}

async function sendOne(deps: SendDeps, due: DueNotification): Promise<void> {
  const now = deps.now();
  const zone = findTimeZone(due.timeZone) ?? utc;
  const next = nextDue(due.kind, now, zone);
  const to = await allowedAddress(deps.db, due);
  if (to === undefined) return await postpone(deps, due, { nextAt: next, attempts: 0 });
  let composed: ComposedMail | undefined;
  try {
    composed = await composeNotification(deps, { due, to, zone, now });
  } catch (error) {
    // Such as a store that restarts. A notification that always fails waits for its next time.
    const level = error instanceof Problem ? "warn" : "error";
    deps.log[level]("A notification could not be composed.", { id: due.id, kind: due.kind, error });
    return await postpone(deps, due, afterFailure(due, { now, next }));
  }
  if (composed === undefined) return await postpone(deps, due, { nextAt: next, attempts: 0 });
  if (!(await claim(deps, due, composed.covers, { now, next }))) return;
  const outcome = await deps.mailer.send(composed.mail);
  deps.onOutcome(due.kind, outcome === "sent" ? "sent" : "failed");
  if (outcome === "sent") return;
  await release(deps, due, { covers: composed.covers, claimedTo: next, ...afterFailure(due, { now, next }) });
}

/** When to try again after a failure; the next regular time after the last attempt. */
function afterFailure(
  { attempts }: DueNotification,
  { now, next }: { now: number; next: number },
): { nextAt: number; attempts: number } {
  if (attempts + 1 >= attemptsMax) return { nextAt: next, attempts: 0 };
  return { nextAt: now + firstRetryMs * 2 ** attempts, attempts: attempts + 1 };
}

async function postpone(
  { db }: SendDeps,
  due: DueNotification,
  { nextAt, attempts }: { nextAt: number; attempts: number },
): Promise<void> {
  await db
    .updateTable("notifications")
    .set({ nextAt, attempts })
    .where("id", "=", due.id)
    .where("nextAt", "=", due.nextAt)
    .execute();
}

/** Records what the mail covers; false when another process was faster, or the notification has ended. */
async function claim(
  { db }: SendDeps,
  due: DueNotification,
  covers: MailSubject,
  { now, next }: { now: number; next: number },
): Promise<boolean> {
  return await transact(db, async (tx) => {
    const period = covers.kind === "period" ? { sentPeriod: covers.period } : {};
    const { numUpdatedRows } = await tx
      .updateTable("notifications")
      .set({ nextAt: next, attempts: 0, lastSentAt: now, ...period })
      .where("id", "=", due.id)
      .where("nextAt", "=", due.nextAt)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    if (covers.kind === "domains") await recordAnnouncement(tx, due.id, covers.domains);
    return true;
  });
}

/** Gives a claim back after a mail that the server did not accept. */
async function release(
  { db }: SendDeps,
  due: DueNotification,
  { covers, claimedTo, ...retry }: { covers: MailSubject; claimedTo: number; nextAt: number; attempts: number },
): Promise<void> {
  await transact(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("notifications")
      .set({ ...retry, sentPeriod: due.sentPeriod, lastSentAt: due.lastSentAt })
      .where("id", "=", due.id)
      .where("nextAt", "=", claimedTo)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n && covers.kind === "domains") await withdrawAnnouncement(tx, due.id, covers.domains);
  });
}
