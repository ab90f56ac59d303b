import type { Kysely } from "kysely";

/** Whether a domain sends visitors over HTTP to HTTPS, and the max-age of its HSTS field. */
export async function httpsSettings(db: Kysely<unknown>): Promise<void> {
  const domains = () => db.schema.alterTable("domains");
  await domains()
    .addColumn("httpsRedirect", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await domains().addColumn("hstsMaxAgeSeconds", "integer").execute();
}
