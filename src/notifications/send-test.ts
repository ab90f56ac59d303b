import type { Actor } from "../access/actor.ts";
import type { Attempts } from "../access/attempts.ts";
import { findTimeZone } from "../analytics/time-zone.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Mailer } from "../mail/mailer.ts";
import { composeTest } from "./compose-notification.ts";
import { allowedAddress, findOwnNotification } from "./due-notifications.ts";
import { deliveryTo } from "./notifications.ts";
import type { ReadReportDeps } from "./read-report.ts";

type Deps = ReadReportDeps & { mailer: Mailer; attempts: Pick<Attempts, "testNotification"> };

/**
 * Mails one of the actor's notifications as a test, now; its next regular mail stays as it is. Returns the address.
 * Throws "not_found" for another notification, "conflict" while no mail can reach the actor or its subject is gone,
 * "rate_limit_exceeded" after too many tests, "unavailable" when the mail server did not accept the mail, and the
 * problems of reading the clicks.
 */
export async function sendTestNotification(deps: Deps, actor: Actor, id: string): Promise<{ to: string }> {
  const due = await findOwnNotification(deps.db, actor, id);
  if (due === undefined) throw notFound("notification");
  await requireDelivery(deps, actor);
  const to = await allowedAddress(deps.db, due);
  if (to === undefined) throw new Problem("conflict", "This notification is paused, so no test can be sent.");
  deps.attempts.testNotification.take({ address: undefined, account: actor.userId });
  const zone = findTimeZone(due.timeZone) ?? findTimeZone("UTC");
  const mail = zone && (await composeTest(deps, { due, to, zone, now: deps.now() }));
  if (mail === undefined) throw new Problem("conflict", "The folder or share of this notification no longer exists.");
  if ((await deps.mailer.send(mail)) !== "sent") {
    throw new Problem("unavailable", "The mail server did not accept the mail; try again later.");
  }
  return { to };
}

async function requireDelivery(deps: Pick<Deps, "db" | "mailer">, actor: Actor): Promise<void> {
  switch (await deliveryTo(deps, actor)) {
    case "ready":
      return;
    case "noMailServer":
      throw new Problem("conflict", "This service does not send e-mail.");
    case "unverifiedEmail":
      throw new Problem("conflict", "Your e-mail address is not verified.");
  }
}
