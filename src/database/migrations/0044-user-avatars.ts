import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The avatars that users upload. */
export async function userAvatars(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("userAvatars")
    .addColumn("userId", text, (column) => column.primaryKey().references("users.id").onDelete("cascade"))
    .addColumn("file", text, (column) => column.notNull().unique())
    .addColumn("type", text, (column) => column.notNull())
    // Last, so that SQLite reads the columns before it without the image's pages.
    .addColumn("image", text, (column) => column.notNull())
    .execute();
}
