/**
 * Connections that read alone. Threads that read are begun with nothing else: a query builder takes seven times as
 * long to load.
 */
import { type SQLQueryBindings, Database as SqliteFile, type Statement } from "bun:sqlite";
import type { CompiledQuery } from "kysely";
import { busyTimeoutMs } from "./sqlite-busy.ts";
import { Statements } from "./sqlite-statements.ts";

/** Of address space, not of memory: more than a file of a hundred million links. */
const mappedBytesMax = 64 * 1024 ** 3;

/** A read-only connection; bun:sqlite's own interface. */
export type SqliteReader = SqliteFile;

/** A query of such a connection, prepared: its rows, and what it is asked with. */
export type SqliteQuery<Row, Parameters extends SQLQueryBindings[]> = Statement<Row, Parameters>;

/** A second, read-only connection with prepared statements of its own, for look-ups that must not wait in a queue. */
export function openSqliteReader(path: string): SqliteReader {
  const file = openReadOnly(path);
  // Pages where the system holds them, without a copy: a link among two million is found in 8 instead of 14 µs. Nothing
  // ever shortens the file, so that what is mapped stays there.
  file.run(`PRAGMA mmap_size = ${mappedBytesMax}`);
  return file;
}

/** A read-only connection that answers queries as they come from Kysely. */
export type SqliteRows = { read(query: Pick<CompiledQuery, "sql" | "parameters">): unknown[]; close(): void };

/**
 * Opens a read-only connection for queries of any text. It maps nothing: one list of the links with most clicks touches
 * every page of the table, and each mapped page counts as memory of the process (66 MiB with 100,000 links).
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
