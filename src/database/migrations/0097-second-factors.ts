import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** One-time codes with recovery codes, how sessions began, and workspaces that require a second factor. */
export async function secondFactors(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("oneTimeCodes")
    .addColumn("userId", text, (column) => column.primaryKey().references("users.id").onDelete("cascade"))
    .addColumn("sealedSecret", text, (column) => column.notNull())
    .addColumn("lastStep", "integer", (column) => column.notNull())
    .addColumn("confirmedAt", instant)
    .execute();
  await db.schema
    .createTable("recoveryCodes")
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("hash", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("recoveryCodesPrimary", ["userId", "hash"])
    .execute();
  await db.schema
    .alterTable("sessions")
    .addColumn("method", text, (column) => column.notNull().defaultTo("password"))
    .execute();
  await db.schema
    .alterTable("sessions")
    .addColumn("hasSecondFactor", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("workspaces")
    .addColumn("requiresSecondFactor", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
