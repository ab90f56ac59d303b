import { createHmac, timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../base/ids.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { NotificationKind } from "../database/notification-tables.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { readSetting, settleSetting } from "../database/settings.ts";
import { transact } from "../database/transact.ts";

/**
 * Ends a notification by the link in its mail, without a sign-in.
 *
 * 1. The token is the notification's id, signed with a secret of the instance. It ends this notification and nothing
 *    else; it shows only the notification's kind.
 * 2. GET changes nothing, since mail scanners open links. POST does, also from a mail program (RFC 8058).
 */

const secretName = "unsubscribeSecret";
/** About 238 bits. */
const secretLength = 40;

type Deps = { db: Db; now: Clock };

/** The secret that signs tokens; created with the first one. */
export async function unsubscribeSecret(db: Db): Promise<string> {
  return (await readSetting(db, secretName)) ?? (await settleSetting(db, secretName, randomBase62(secretLength)));
}

/** The token that ends a notification. */
export function unsubscribeToken(secret: string, notificationId: string): string {
  return `${notificationId}.${createHmac("sha256", secret).update(notificationId).digest("base64url")}`;
}

/** What a token stands for: a notification, one that has ended, or nothing. */
type UnsubscribeState = { kind: "open"; about: NotificationKind } | { kind: "ended" } | { kind: "invalid" };

/** Reads what a token stands for. */
export async function findByUnsubscribeToken({ db }: Pick<Deps, "db">, token: string): Promise<UnsubscribeState> {
  const id = await idOf(db, token);
  if (id === undefined) return { kind: "invalid" };
  const row = await db.selectFrom("notifications").select("kind").where("id", "=", id).executeTakeFirst();
  return row === undefined ? { kind: "ended" } : { kind: "open", about: row.kind };
}

/** Ends the notification of a token; false for an invalid token. Safe to repeat. */
export async function unsubscribe({ db, now }: Deps, token: string): Promise<boolean> {
  const id = await idOf(db, token);
  if (id === undefined) return false;
  await transact(db, async (tx) => {
    const ended = await tx
      .deleteFrom("notifications")
      .where("id", "=", id)
      .returning(["workspaceId", "userId", "kind"])
      .executeTakeFirst();
    if (ended === undefined) return;
    await emit(tx, eventBy(ended, "notification.deleted", id, now(), { before: { kind: ended.kind } }));
  });
  return true;
}

async function idOf(db: Db, token: string): Promise<string | undefined> {
  const id = /^(ntf_[0-9A-Z]{26})\.[\w-]{43}$/.exec(token)?.[1];
  if (id === undefined) return undefined;
  const expected = Buffer.from(unsubscribeToken(await unsubscribeSecret(db), id));
  return timingSafeEqual(Buffer.from(token), expected) ? id : undefined;
}
