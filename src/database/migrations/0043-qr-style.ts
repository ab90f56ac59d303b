import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The style with which the QR codes of a workspace start. */
export async function qrStyle(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("workspaces").addColumn("qrStyle", text).execute();
}
