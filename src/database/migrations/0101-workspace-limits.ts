import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Limits of single workspaces, which replace those of the instance. */
export async function workspaceLimits(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("workspaces").addColumn("limits", text).execute();
}
