import type { Config } from "../config.ts";
import { type Db, isReachable } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";

/** Says that the database does not answer, and for PostgreSQL at which address; undefined while it answers. */
export async function databaseOutage({ db, config }: { db: Db; config: Config }): Promise<string | undefined> {
  if (await isReachable(db)) return undefined;
  const location = databaseLocation(config);
  return location.kind === "sqlite"
    ? "SQLite does not answer"
    : `no PostgreSQL answers at ${new URL(location.url).host}`;
}
