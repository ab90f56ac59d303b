import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The operator's blocks. */
export async function blocks(db: Kysely<unknown>, { id, text, instant, autoIncrement }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("blocks")
    .addColumn("id", id, autoIncrement)
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("target", text, (column) => column.notNull())
    .addColumn("reason", text, (column) => column.notNull())
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addUniqueConstraint("blocksByTarget", ["kind", "target"])
    .execute();
}
