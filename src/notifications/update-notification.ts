import type { Actor } from "../access/actor.ts";
import { readTimeZone } from "../analytics/time-zone.ts";
import { applyPatch, type PatchOf } from "../base/apply-patch.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import {
  findNotification,
  firstSentPeriod,
  type Notification,
  type NotificationFields,
  refuseSecond,
  requireOneSubject,
  requireSubject,
} from "./notifications.ts";
import { nextDue } from "./schedule.ts";

/** Changes of a notification; undefined leaves a field alone. */
type NotificationChanges = PatchOf<NotificationFields>;

/**
 * Changes one of the actor's notifications and returns it; a call without a change records nothing. A folder replaces a
 * share, and a share a folder. With another kind or subject it starts again, as if it were new: what it sent before was
 * about something else. With another time zone only its next time changes, so no period is sent twice.
 * Throws like createNotification, and "not_found" for an unknown notification.
 */
export async function updateNotification(
  { db, now }: { db: Db; now: Clock },
  actor: Actor,
  id: string,
  changes: NotificationChanges,
): Promise<Notification> {
  return await refuseSecond(() =>
    transact(db, async (tx) => {
      const notification = await findNotification({ db: tx }, actor, id);
      const before = fieldsOf(notification);
      const after = applyPatch(before, withOneSubject(changes));
      const zone = readTimeZone("timeZone", after.timeZone);
      after.timeZone = zone.name;
      if (JSON.stringify(after) === JSON.stringify(before)) return notification;
      requireOneSubject(after);
      await requireSubject(tx, actor, after);
      const at = now();
      const isRestarted = subjectOf(after) !== subjectOf(before) || after.kind !== before.kind;
      const nextAt =
        isRestarted || after.timeZone !== before.timeZone ? nextDue(after.kind, at, zone) : notification.nextAt;
      const lastSentAt = isRestarted ? null : notification.lastSentAt;
      const restart = isRestarted ? { sentPeriod: firstSentPeriod(after.kind, at, zone), attempts: 0 } : {};
      await tx
        .updateTable("notifications")
        .set({ ...after, subject: subjectOf(after), nextAt, lastSentAt, ...restart })
        .where("id", "=", id)
        .execute();
      if (isRestarted) await tx.deleteFrom("domainAlerts").where("notificationId", "=", id).execute();
      await emit(tx, eventBy(actor, "notification.updated", id, at, { before, after }));
      return { ...notification, ...after, nextAt, lastSentAt };
    }),
  );
}

/** A change that names only a folder removes the share, and the other way round. */
function withOneSubject(changes: NotificationChanges): NotificationChanges {
  const { folderId, shareId } = changes;
  if (typeof folderId === "string" && shareId === undefined) return { ...changes, shareId: null };
  if (typeof shareId === "string" && folderId === undefined) return { ...changes, folderId: null };
  return changes;
}

function fieldsOf({ kind, folderId, shareId, timeZone, language }: Notification): NotificationFields {
  return { kind, folderId, shareId, timeZone, language };
}

function subjectOf({ folderId, shareId }: NotificationFields): string {
  return folderId ?? shareId ?? "";
}
