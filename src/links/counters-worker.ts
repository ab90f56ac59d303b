/**
 * The thread that keeps the links' counters, so that neither folding clicks nor SQLite's commits delay a redirect.
 *
 * On SQLite its transactions take the write lock for one to six milliseconds. A mutation of the API that meets one waits
 * so long in the main thread, and the visitors of that moment with it; were that ever felt, the main thread's mutations
 * would have to move to a thread too.
 */
import { serveThread } from "../base/thread.ts";
import type { SpoolLocation } from "../clicks/ingest.ts";
import { tally, tallyRange } from "../clicks/tally.ts";
import { checkpoint, connect, type Database, type DatabaseLocation } from "../database/database.ts";
import { applyTally, type CountersVerbs, counterPositions } from "./counters.ts";
import { pendingPurges } from "./pending-purges.ts";

/** Behind the visitors as far as the store: what holds SQLite's write lock is short, and who waits for it leaves it the core. */
const niceness = 19;

/** Between two transactions, so that a mutation of the API can have SQLite's write lock. */
const pauseMs = 10;

let location: DatabaseLocation | undefined;
let database: Database | undefined;

serveThread<CountersVerbs>(niceness, {
  async start(argument: DatabaseLocation) {
    location = argument;
    return undefined;
  },
  async count({ spoolId, directory }: SpoolLocation) {
    const opened = connected();
    const positions = await counterPositions(opened.db, spoolId);
    const purges = await pendingPurges(opened.db);
    return await applyTally(opened, spoolId, tally(directory, positions, purges), purges, pauseMs);
  },
  async tally(range) {
    return tallyRange(range);
  },
  async checkpoint() {
    await checkpoint(connected());
    return undefined;
  },
  async close() {
    await database?.close();
    return undefined;
  },
});

/** The connection, made by the first call that needs it: one that could not be made is tried again by the next. */
function connected(): Database {
  if (location === undefined) throw new Error("The counters were asked before they were started.");
  database ??= connect(location, "lossy");
  return database;
}
