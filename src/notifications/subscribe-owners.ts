import { sql } from "kysely";
import { newId } from "../base/ids.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { NotificationLanguage } from "../database/notification-tables.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";

/**
 * Subscribes owners to the alert about failing domains when a domain of their workspace begins to fail, so that they
 * learn of it although nobody thought of subscribing.
 *
 * 1. It is an ordinary notification: the owner sees it in the settings, and ends it there or by the link in its mail.
 * 2. Each owner is subscribed once: members.hasDefaultAlerts outlives the notification, so that an owner who
 *    unsubscribes stays unsubscribed. An owner with the notification gets no second one.
 */

/** Owners of one step; further ones follow in the next. */
const stepOwnersMax = 20;

type Deps = { db: Db; now: Clock };
type Owner = { workspaceId: number; userId: string };

/** Subscribes the owners of workspaces with failing domains; at most stepOwnersMax. Safe to repeat. */
export async function subscribeOwners({ db, now }: Deps): Promise<void> {
  for (const owner of await findUnsubscribedOwners(db)) {
    await subscribeOnce(db, owner, now());
  }
}

async function findUnsubscribedOwners(db: Db): Promise<Owner[]> {
  return await db
    .selectFrom("members")
    .select(["workspaceId", "userId"])
    .where("role", "=", "owner")
    .where("isConfirmed", "=", 1)
    .where("hasDefaultAlerts", "=", 0)
    .where("workspaceId", "in", (failing) =>
      failing
        .selectFrom("domains")
        .select("workspaceId")
        // A literal, because an index with a condition serves no parameter.
        .where("status", "=", sql.lit("failing"))
        .whereRef("slug", "<>", "id"),
    )
    .limit(stepOwnersMax)
    .execute();
}

async function subscribeOnce(db: Db, owner: Owner, now: number): Promise<void> {
  const preference = await lastPreference(db, owner);
  await transact(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("members")
      .set({ hasDefaultAlerts: 1 })
      .where("workspaceId", "=", owner.workspaceId)
      .where("userId", "=", owner.userId)
      .where("hasDefaultAlerts", "=", 0)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    const kind = "failingDomain";
    const about = { folderId: null, shareId: null };
    const created = await tx
      .insertInto("notifications")
      .values({
        ...{ id: newId("ntf", now), ...owner, kind, ...about, subject: "", ...preference },
        ...{ nextAt: now, sentPeriod: null, lastSentAt: null, createdAt: now },
      })
      .onConflict((conflict) => conflict.columns(["workspaceId", "userId", "kind", "subject"]).doNothing())
      .returning("id")
      .executeTakeFirst();
    if (created === undefined) return;
    const service = { workspaceId: owner.workspaceId, userId: null };
    await emit(tx, eventBy(service, "notification.created", created.id, now, { after: { kind, ...about } }));
  });
}

/** The language and time zone of the owner's newest notification; otherwise English and UTC. */
async function lastPreference(
  db: Db,
  { userId }: Owner,
): Promise<{ language: NotificationLanguage; timeZone: string }> {
  const newest = await db
    .selectFrom("notifications")
    .select(["language", "timeZone"])
    .where("userId", "=", userId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest ?? { language: "en", timeZone: "UTC" };
}
