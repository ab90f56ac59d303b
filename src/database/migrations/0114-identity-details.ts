import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The address of an identity, and whether its provider has checked a second factor. */
export async function identityDetails(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("identities").addColumn("email", text).execute();
  await db.schema
    .alterTable("identities")
    .addColumn("hasSecondFactor", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
