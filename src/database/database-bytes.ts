import { stat } from "node:fs/promises";
import { sql } from "kysely";
import { isMissing } from "../base/is-missing.ts";
import type { Database } from "./database.ts";

/** Returns the bytes of the relational database on the disk: on SQLite of its file and its write-ahead log. */
export async function databaseBytes({ db, sqlite }: Pick<Database, "db" | "sqlite">): Promise<number> {
  if (sqlite !== undefined) return (await bytesOf(sqlite.path)) + (await bytesOf(`${sqlite.path}-wal`));
  const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

/** SQLite makes its log at the first write. */
async function bytesOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
