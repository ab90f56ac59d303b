import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/workspaces.ts";
import { findShare } from "../analytics/shares.ts";
import { readTimeZone, type TimeZone } from "../analytics/time-zone.ts";
import { newId } from "../base/ids.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import { type Clock, dayMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { NotificationKind, NotificationLanguage, NotificationsTable } from "../database/notification-tables.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { findFolder } from "../links/folders.ts";
import { localDay, nextDue } from "./schedule.ts";

/**
 * Notifications: the reports and alerts that members receive by e-mail.
 *
 * 1. Members subscribe only themselves, and see only their own notifications.
 * 2. A notification ends with the membership, and with the folder or share that it is about: the database deletes it.
 * 3. It can be created without a mail server or a verified address. Nothing is sent until both exist.
 */

/** Notifications of one member of a workspace. */
export const notificationsPerMemberMax = 50;

/** A notification; instants are milliseconds since the epoch. */
export type Notification = Pick<
  Selectable<NotificationsTable>,
  "id" | "kind" | "folderId" | "shareId" | "timeZone" | "language" | "nextAt" | "lastSentAt" | "createdAt"
>;

/** A new notification; without folderId and shareId it is about the workspace. */
type NewNotification = {
  kind: NotificationKind;
  folderId: string | undefined;
  shareId: string | undefined;
  timeZone: string;
  language: NotificationLanguage;
};

type Deps = { db: Db; now: Clock };

/**
 * Subscribes the actor to a report or an alert. Throws "not_found" for an unknown folder or share,
 * "unprocessable_entity" for both, for one of a domain alert, and for an unknown time zone; "conflict" for a
 * notification that the actor has, and beyond notificationsPerMemberMax.
 */
export async function createNotification(
  { db, now }: Deps,
  actor: Actor,
  { kind, folderId, shareId, timeZone, language }: NewNotification,
): Promise<Notification> {
  if (folderId !== undefined && shareId !== undefined) throw invalid("shareId", "cannot be combined with folderId.");
  if (kind === "failingDomain" && (folderId ?? shareId) !== undefined) {
    throw invalid(folderId === undefined ? "shareId" : "folderId", "cannot be combined with the kind failingDomain.");
  }
  const zone = readTimeZone("timeZone", timeZone);
  const { workspaceId, userId } = actor;
  try {
    return await transact(db, async (tx) => {
      await lockWorkspace(tx, workspaceId); // The lock keeps two simultaneous calls from exceeding the bound.
      const about = {
        folderId: folderId === undefined ? null : (await findFolder({ db: tx }, actor, folderId)).id,
        shareId: shareId === undefined ? null : (await findShare({ db: tx }, actor, shareId)).id,
      };
      await requireCapacity(tx, actor);
      const at = now();
      const notification: Notification = {
        ...{ id: newId("ntf", at), kind, ...about, timeZone: zone.name, language },
        ...{ nextAt: nextDue(kind, at, zone), lastSentAt: null, createdAt: at },
      };
      await tx
        .insertInto("notifications")
        .values({
          ...notification,
          ...{ workspaceId, userId, subject: folderId ?? shareId ?? "" },
          sentPeriod: firstSentPeriod(kind, at, zone),
        })
        .execute();
      await emit(tx, eventBy(actor, "notification.created", notification.id, at, { after: { kind, ...about } }));
      return notification;
    });
  } catch (error) {
    if (violatedIndex(error) !== "notification") throw error;
    throw new Problem("conflict", "kind: you already have this notification.", { cause: error });
  }
}

/** An alert is never about a day before its creation. */
function firstSentPeriod(kind: NotificationKind, at: number, zone: TimeZone): string | null {
  return kind === "spike" || kind === "drop" ? localDay(at - dayMs, zone) : null;
}

async function requireCapacity(tx: Tx, actor: Actor): Promise<void> {
  if ((await listNotifications({ db: tx }, actor)).length < notificationsPerMemberMax) return;
  throw new Problem(
    "conflict",
    `You have ${notificationsPerMemberMax} notifications in this workspace, which is the limit; delete one first.`,
  );
}

/** The actor's notifications in the workspace, oldest first; at most notificationsPerMemberMax. */
export async function listNotifications({ db }: Pick<Deps, "db">, actor: Actor): Promise<Notification[]> {
  return await notificationsOf(db, actor).orderBy("id").execute();
}

/** The actor's notification with this id. Throws "not_found". */
export async function findNotification({ db }: Pick<Deps, "db">, actor: Actor, id: string): Promise<Notification> {
  const notification = await notificationsOf(db, actor).where("id", "=", id).executeTakeFirst();
  if (notification === undefined) throw notFound("notification");
  return notification;
}

/** Ends one of the actor's notifications. Throws "not_found". */
export async function deleteNotification({ db, now }: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  return await transact(db, async (tx) => {
    const { kind } = await findNotification({ db: tx }, actor, id);
    await tx.deleteFrom("notifications").where("id", "=", id).execute();
    await emit(tx, eventBy(actor, "notification.deleted", id, now(), { before: { kind } }));
    return { id };
  });
}

/** Whether mails about notifications can reach the user: "ready", or the reason why they cannot. */
export async function deliveryTo(
  { db, mailer }: Pick<Deps, "db"> & { mailer: { hasServer: boolean } },
  actor: Actor,
): Promise<"ready" | "noMailServer" | "unverifiedEmail"> {
  if (!mailer.hasServer) return "noMailServer";
  const user = await db
    .selectFrom("users")
    .select("email")
    .where("id", "=", actor.userId)
    .where("email", "is not", null)
    .where("verifiedAt", "is not", null)
    .executeTakeFirst();
  return user === undefined ? "unverifiedEmail" : "ready";
}

function notificationsOf(db: Db, { workspaceId, userId }: Actor) {
  return db
    .selectFrom("notifications")
    .select(["id", "kind", "folderId", "shareId", "timeZone", "language", "nextAt", "lastSentAt", "createdAt"])
    .where("workspaceId", "=", workspaceId)
    .where("userId", "=", userId);
}
