import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The challenges that passkeys have signed in with, until they expire: each works once, on one of all nodes. */
export async function usedChallenges(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("usedChallenges")
    .addColumn("challenge", text, (column) => column.primaryKey())
    .addColumn("expiresAt", instant, (column) => column.notNull())
    .execute();
}
