import { type Kysely, sql } from "kysely";
import { Problem } from "../base/problem.ts";

/**
 * Refuses a PostgreSQL database whose encoding is not UTF-8: others cannot store text in every script.
 * Throws "conflict".
 */
export async function refuseOtherEncoding<Tables>(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as "encoding"`.execute(db);
  const encoding = rows[0]?.encoding;
  if (encoding === "UTF8") return;
  throw new Problem(
    "conflict",
    `The database has the encoding ${encoding}, but Waypost needs UTF8. Create one with template template0 encoding 'UTF8'; pg_dump and psql copy existing data into it.`,
  );
}
