import { sql } from "kysely";
import { fileBytes } from "../base/disk-space.ts";
import type { Database } from "./database.ts";

/** Returns the bytes of the relational database on the disk: on SQLite of its file and its write-ahead log. */
export async function databaseBytes({ db, sqlite }: Pick<Database, "db" | "sqlite">): Promise<number> {
  // SQLite makes its log at the first write.
  if (sqlite !== undefined) return fileBytes(sqlite.path) + fileBytes(`${sqlite.path}-wal`);
  const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}
