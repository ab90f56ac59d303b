import { type Kysely, sql } from "kysely";
import { Problem } from "../base/problem.ts";

/** Throws "conflict" for a PostgreSQL database that would refuse the first text in a script that its encoding lacks. */
export async function refuseOtherEncoding<Tables>(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as "encoding"`.execute(db);
  const encoding = rows[0]?.encoding;
  if (encoding === "UTF8") return;
  throw new Problem(
    "conflict",
    `The database has the encoding ${encoding}, which cannot store every text. Create it with template template0 encoding 'UTF8'.`,
  );
}
