/**
 * Read-only connections. This file imports no query builder, which takes seven times as long to load, so that threads
 * start quickly.
 */
import { type SQLQueryBindings, Database as SqliteFile, type Statement } from "bun:sqlite";
import type { CompiledQuery } from "kysely";
import { busyTimeoutMs } from "./sqlite-busy.ts";
import { Statements } from "./sqlite-statements.ts";

/** Address space, not memory: more than a file of a hundred million links. */
const mappedBytesMax = 64 * 1024 ** 3;

/** A read-only connection, with the interface of bun:sqlite. */
export type SqliteReader = SqliteFile;

/** A prepared query of such a connection: its rows and its parameters. */
export type SqliteQuery<Row, Parameters extends SQLQueryBindings[]> = Statement<Row, Parameters>;

/**
 * Opens a second, read-only connection with its own prepared statements, for lookups that must not wait in a queue.
 */
export function openSqliteReader(path: string): SqliteReader {
  const file = openReadOnly(path);
  // Maps the file, so that pages are read without a copy: a link among two million is found in 8 instead of 14 µs.
  // Nothing ever shortens the file, so mapped pages stay valid.
  file.run(`PRAGMA mmap_size = ${mappedBytesMax}`);
  return file;
}

/** A read-only connection for queries compiled by Kysely. */
export type SqliteRows = { read(query: Pick<CompiledQuery, "sql" | "parameters">): unknown[]; close(): void };

/**
 * Opens a read-only connection for arbitrary queries. It does not map the file: one list of the most clicked links
 * touches every page of the table, and each mapped page counts as memory of the process (66 MiB with 100,000 links).
 */
export function openSqliteRows(path: string): SqliteRows {
  const file = openReadOnly(path);
  const statements = new Statements(file);
  return { read: (query) => statements.execute<unknown>(query).rows, close: () => file.close() };
}

function openReadOnly(path: string): SqliteFile {
  const file = new SqliteFile(path, { readonly: true });
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return file;
}
