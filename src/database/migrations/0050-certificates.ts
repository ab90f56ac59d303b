import type { ColumnBuilderCallback, Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Certificates, and the accounts that order them. */
export async function certificates(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  const required: ColumnBuilderCallback = (column) => column.notNull();
  const count: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
  await db.schema
    .createTable("acmeAccounts")
    .addColumn("directory", text, (column) => column.primaryKey())
    .addColumn("sealedKey", text, required)
    .addColumn("url", text)
    .addColumn("email", text)
    .addColumn("pausedUntil", instant)
    .addColumn("failures", "integer", count)
    .addColumn("problem", text)
    .addColumn("createdAt", instant, required)
    .execute();
  await db.schema
    .createTable("certificates")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("chain", text)
    .addColumn("sealedKey", text)
    .addColumn("notBefore", instant)
    .addColumn("notAfter", instant)
    .addColumn("orderUrl", text)
    .addColumn("orderKey", text)
    .addColumn("challenge", text)
    .addColumn("problemKind", text)
    .addColumn("problem", text)
    .addColumn("failures", "integer", count)
    .addColumn("nextAt", instant, required)
    .addColumn("triedAt", instant)
    .addColumn("orderedAt", instant)
    .addColumn("createdAt", instant, required)
    .addColumn("changedAt", instant, required)
    .execute();
  for (const column of ["nextAt", "orderedAt", "changedAt"] as const) {
    await db.schema.createIndex(`certificatesBy_${column}`).on("certificates").column(column).execute();
  }
}
