import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** When a user was disabled or deleted, and whether they administer the instance. */
export async function people(db: Kysely<unknown>, { instant }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("users").addColumn("disabledAt", instant).execute();
  await db.schema.alterTable("users").addColumn("deletedAt", instant).execute();
  await db.schema
    .alterTable("users")
    .addColumn("isAdministrator", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
