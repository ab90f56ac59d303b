import type { Actor } from "../access/actor.ts";
import { currentBlocks } from "../access/blocks.ts";
import { hasSecondFactor } from "../access/second-factors.ts";
import type { Db } from "../database/database.ts";
import type { NotificationsTable } from "../database/notification-tables.ts";

/** A due notification with its member, its workspace and its subject. */
export type DueNotification = Pick<
  NotificationsTable,
  | ("id" | "workspaceId" | "userId" | "kind" | "folderId" | "shareId" | "timeZone")
  | ("language" | "nextAt" | "sentPeriod" | "lastSentAt" | "createdAt")
> & {
  attempts: number;
  email: string | null;
  verifiedAt: number | null;
  disabledAt: number | null;
  isConfirmed: 0 | 1;
  workspace: string;
  workspaceCreatedAt: number;
  requiresSecondFactor: 0 | 1;
  folder: string | null;
  folderCreatedAt: number | null;
  shareToken: string | null;
  shareName: string | null;
  shareLinkId: string | null;
  shareFolderId: string | null;
  shareExpiresAt: number | null;
};

/** The notifications whose time has come, longest waiting first; at most `limit`. */
export async function findDueNotifications(db: Db, now: number, limit: number): Promise<DueNotification[]> {
  return await notificationsWithSubjects(db)
    .where("notifications.nextAt", "<=", now)
    .orderBy("notifications.nextAt")
    .orderBy("notifications.id")
    .limit(limit)
    .execute();
}

/** One of the actor's notifications in the workspace, due or not; undefined when the actor has none with this id. */
export async function findOwnNotification(
  db: Db,
  { userId, workspaceId }: Pick<Actor, "userId" | "workspaceId">,
  id: string,
): Promise<DueNotification | undefined> {
  return await notificationsWithSubjects(db)
    .where("notifications.id", "=", id)
    .where("notifications.userId", "=", userId)
    .where("notifications.workspaceId", "=", workspaceId)
    .executeTakeFirst();
}

function notificationsWithSubjects(db: Db) {
  return db
    .selectFrom("notifications")
    .innerJoin("users", "users.id", "notifications.userId")
    .innerJoin("members", (join) =>
      join
        .onRef("members.workspaceId", "=", "notifications.workspaceId")
        .onRef("members.userId", "=", "notifications.userId"),
    )
    .innerJoin("workspaces", "workspaces.id", "notifications.workspaceId")
    .leftJoin("shares", "shares.id", "notifications.shareId")
    .leftJoin("folders", (join) =>
      join.on((on) =>
        on.or([
          on("folders.id", "=", on.ref("notifications.folderId")),
          on("folders.id", "=", on.ref("shares.folderId")),
        ]),
      ),
    )
    .select([
      "notifications.id",
      "notifications.workspaceId",
      "notifications.userId",
      "notifications.kind",
      "notifications.folderId",
      "notifications.shareId",
      "notifications.timeZone",
      "notifications.language",
      "notifications.nextAt",
      "notifications.sentPeriod",
      "notifications.attempts",
      "notifications.lastSentAt",
      "notifications.createdAt",
      "users.email",
      "users.verifiedAt",
      "users.disabledAt",
      "members.isConfirmed",
      "workspaces.name as workspace",
      "workspaces.createdAt as workspaceCreatedAt",
      "workspaces.requiresSecondFactor",
      "folders.name as folder",
      "folders.createdAt as folderCreatedAt",
      "shares.token as shareToken",
      "shares.name as shareName",
      "shares.linkId as shareLinkId",
      "shares.folderId as shareFolderId",
      "shares.expiresAt as shareExpiresAt",
    ]);
}

/**
 * The address that the notification may be sent to; undefined while the member has no verified address, has not
 * confirmed the membership, is disabled or blocked by the operator, or lacks the second factor that the workspace
 * requires for its clicks.
 */
export async function allowedAddress(db: Db, due: DueNotification): Promise<string | undefined> {
  if (due.email === null || due.verifiedAt === null || due.disabledAt !== null || due.isConfirmed === 0)
    return undefined;
  // The alert about domains shows no clicks, and an owner without a second factor must not miss it.
  const needsSecondFactor = due.requiresSecondFactor === 1 && due.kind !== "failingDomain";
  if (needsSecondFactor && !(await hasSecondFactor(db, due.userId))) return undefined;
  const blocks = await currentBlocks(db);
  return blocks.hasWorkspace(due.workspaceId) || blocks.hasUser(due.userId) ? undefined : due.email;
}

/** The actor of a notification's queries: its member, who only reads. */
export function readerOf({ userId, workspaceId }: DueNotification): Actor {
  return { userId, workspaceId, role: "viewer", scopes: null, expiresAt: null };
}
