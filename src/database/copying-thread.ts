import { Thread } from "../base/thread.ts";
import { hourMs } from "../base/time.ts";
import type { DatabaseLocation } from "./database.ts";
import type { DatabaseCopy } from "./table-counts.ts";

/** The longest a copy of the relational database may take. */
const copyTimeMaxMs = 2 * hourMs;

/** TABLE of the calls to the thread that copies the database. */
export type CopyingVerbs = {
  start: { argument: undefined; result: undefined };
  copy: { argument: { location: DatabaseLocation; folder: string }; result: DatabaseCopy };
  close: { argument: undefined; result: undefined };
};

/** The name of the copied SQLite file, and of the folder of PostgreSQL's tables. */
export const copyNames = { sqlite: "waypost.sqlite", postgres: "postgres" } as const;

/**
 * Copies the relational database into `folder` in a thread, because a copy of a large SQLite file takes seconds: the
 * file `waypost.sqlite`, or the folder `postgres` with a file for each table.
 */
export async function copyDatabase(location: DatabaseLocation, folder: string): Promise<DatabaseCopy> {
  const file = new URL("./copying-worker.ts", import.meta.url);
  const thread = new Thread<CopyingVerbs>(file, copyTimeMaxMs, undefined);
  try {
    return await thread.call("copy", { location, folder });
  } finally {
    thread.terminate();
  }
}
