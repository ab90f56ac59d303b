import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Whether each link's destination allows framing, and the links whose destination has yet to be checked. */
export async function framing(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("links").addColumn("framing", text).execute();
  await db.schema
    .createTable("framingChecks")
    .addColumn("linkId", text, (column) => column.primaryKey().references("links.id").onDelete("cascade"))
    .addColumn("dueAt", instant, (column) => column.notNull())
    .addColumn("tries", "integer", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("framingChecksByTime").on("framingChecks").column("dueAt").execute();
}
