import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
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

/** The fields of a notification that its member writes; without folderId and shareId it is about the workspace. */
export type NotificationFields = {
  kind: NotificationKind;
  folderId: string | null;
  shareId: string | null;
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
  fields: NotificationFields,
): Promise<Notification> {
  requireOneSubject(fields);
  const zone = readTimeZone("timeZone", fields.timeZone);
  const { workspaceId, userId } = actor;
  const { kind, folderId, shareId, language } = fields;
  return await refuseSecond(() =>
    transact(db, async (tx) => {
      await lockWorkspace(tx, workspaceId); // The lock keeps two simultaneous calls from exceeding the bound.
      await requireSubject(tx, actor, fields);
      await requireCapacity(tx, actor);
      const at = now();
      const notification: Notification = {
        ...{ id: newId("ntf", at), kind, folderId, shareId, timeZone: zone.name, language },
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
      const after = { kind, folderId, shareId };
      await emit(tx, eventBy(actor, "notification.created", notification.id, at, { after }));
      return notification;
    }),
  );
}

/** Throws "unprocessable_entity" for a folder and a share together, and for either in a domain alert. */
export function requireOneSubject({
  kind,
  folderId,
  shareId,
}: Pick<NotificationFields, "kind" | "folderId" | "shareId">): void {
  if (folderId !== null && shareId !== null) throw invalid("shareId", "cannot be combined with folderId.");
  if (kind === "failingDomain" && (folderId ?? shareId) !== null) {
    throw invalid(folderId === null ? "shareId" : "folderId", "cannot be combined with the kind failingDomain.");
  }
}

/** Throws "not_found" unless the folder or share exists in the actor's workspace. */
export async function requireSubject(
  tx: Tx,
  actor: Actor,
  { folderId, shareId }: Pick<NotificationFields, "folderId" | "shareId">,
): Promise<void> {
  if (folderId !== null) await findFolder({ db: tx }, actor, folderId);
  if (shareId !== null) await findShare({ db: tx }, actor, shareId);
}

/** Runs a write; throws "conflict" if the actor already has such a notification. */
export async function refuseSecond<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) !== "notification") throw error;
    throw new Problem("conflict", "kind: you already have this notification.", { cause: error });
  }
}

/** The first value of sentPeriod: an alert is never about a day before its creation. */
export function firstSentPeriod(kind: NotificationKind, at: number, zone: TimeZone): string | null {
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
