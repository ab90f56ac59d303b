/** The thread that reads the SQLite file for callers that can wait; see reading-thread.ts. */
import { serveThread } from "../base/thread.ts";
import type { ReadingQuery, ReadingVerbs } from "./reading-thread.ts";
import { openSqliteRows, type SqliteRows } from "./sqlite-reader.ts";

/** Lower priority than visitors, higher than the counters. */
const niceness = 5;

let path = "";
let rows: SqliteRows | undefined;

serveThread<ReadingVerbs>(niceness, {
  async start(argument: { path: string }) {
    path = argument.path;
    return undefined;
  },
  async read(query: ReadingQuery) {
    rows ??= openSqliteRows(path);
    return rows.read(query);
  },
  async close() {
    rows?.close();
    return undefined;
  },
});
