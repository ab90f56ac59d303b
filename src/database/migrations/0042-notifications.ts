import type { ColumnBuilderCallback, Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Reports and alerts by e-mail. */
export async function notifications(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  const required: ColumnBuilderCallback = (column) => column.notNull();
  await db.schema
    .createTable("notifications")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", required)
    .addColumn("userId", text, required)
    .addColumn("kind", text, required)
    .addColumn("folderId", text, (column) => column.references("folders.id").onDelete("cascade"))
    .addColumn("shareId", text, (column) => column.references("shares.id").onDelete("cascade"))
    .addColumn("subject", text, required)
    .addColumn("timeZone", text, required)
    .addColumn("language", text, required)
    .addColumn("nextAt", instant, required)
    .addColumn("sentPeriod", text)
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("lastSentAt", instant)
    .addColumn("createdAt", instant, required)
    .addUniqueConstraint("notificationsBySubject", ["workspaceId", "userId", "kind", "subject"])
    // A person who leaves a workspace receives nothing about it any more.
    .addForeignKeyConstraint(
      "notificationsOfMember",
      ["workspaceId", "userId"],
      "members",
      ["workspaceId", "userId"],
      (constraint) => constraint.onDelete("cascade"),
    )
    .execute();
  for (const column of ["nextAt", "folderId", "shareId"] as const) {
    await db.schema.createIndex(`notificationsBy_${column}`).on("notifications").column(column).execute();
  }
  await db.schema
    .createTable("domainAlerts")
    .addColumn("notificationId", text, (column) => column.notNull().references("notifications.id").onDelete("cascade"))
    .addColumn("domainId", text, (column) => column.notNull().references("domains.id").onDelete("cascade"))
    .addColumn("failingSince", instant, required)
    .addColumn("stage", text, required)
    .addPrimaryKeyConstraint("domainAlertsPrimary", ["notificationId", "domainId"])
    .execute();
  await db.schema.createIndex("domainAlertsByDomain").on("domainAlerts").column("domainId").execute();
}
