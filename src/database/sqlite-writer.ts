/** Connections that write without a query builder, for a thread that starts quickly. */
import { Database as SqliteFile } from "bun:sqlite";
import { busyTimeoutMs } from "./sqlite-busy.ts";

/** A connection that writes, with the interface of bun:sqlite. */
export type SqliteWriter = SqliteFile;

/**
 * Opens the file at `path`, which is created if absent. Readers never wait for it. A power loss may undo its last
 * commits, but does not damage the file.
 */
export function openSqliteWriter(path: string): SqliteWriter {
  const file = new SqliteFile(path, { create: true, readwrite: true });
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  file.run("PRAGMA journal_mode = WAL");
  file.run("PRAGMA synchronous = NORMAL");
  // Overwrites deleted bytes, such as the destinations of erased links.
  file.run("PRAGMA secure_delete = ON");
  return file;
}
