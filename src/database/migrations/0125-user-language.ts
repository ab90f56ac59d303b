import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The language in which a user last signed in, in which mails about the account are written. */
export async function userLanguage(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("users").addColumn("language", text).execute();
}
