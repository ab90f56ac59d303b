/**
 * The thread that keeps the links' counters, so that neither folding clicks nor SQLite's commits delay a redirect.
 *
 * On SQLite its transactions take the write lock for some two milliseconds. A mutation of the API that meets one waits
 * so long in the main thread, and the visitors of that moment with it; were that ever felt, the main thread's mutations
 * would have to move to a thread too.
 */
import { serveThread } from "../base/thread.ts";
import { tally } from "../clicks/ingest.ts";
import { connect, type Database } from "../database/database.ts";
import { applyTally, type CountersVerbs, countersCursor } from "./counters.ts";

/** Behind the visitors, but far enough before the store that the write lock is never held for long. */
const niceness = 10;

let database: Database | undefined;

serveThread<CountersVerbs>(niceness, {
  async start(location) {
    database = connect(location, "lossy");
    return undefined;
  },
  async count({ spoolId, directory }) {
    if (database === undefined) throw new Error("The counters were asked before they were started.");
    const cursor = await countersCursor(database.db, spoolId);
    const next = tally(directory, cursor);
    if (next.to > cursor) await applyTally(database, spoolId, next);
    return next.to;
  },
  async close() {
    await database?.close();
    return undefined;
  },
});
