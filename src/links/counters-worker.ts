/**
 * The thread that updates the links' counters, so that neither folding clicks nor SQLite's commits delay a redirect.
 *
 * Known weakness: on SQLite its transactions hold the write lock for one to six milliseconds. A mutation of the API
 * that meets one waits in the main thread, and so do the visitors of that moment. If visitors ever notice, the main
 * thread's mutations must move to a thread too.
 */
import { CorePauses } from "../base/core-pauses.ts";
import { serveThread } from "../base/thread.ts";
import { tally, tallyRange } from "../clicks/tally.ts";
import { checkpoint, connect, type Database, type DatabaseLocation } from "../database/database.ts";
import { applyTally, type CountArgument, type CountersVerbs, counterPositions } from "./counters.ts";
import { pendingPurges } from "./pending-purges.ts";

/**
 * Below the redirects, like the store. The writes under SQLite's lock are short, and a thread that waits for the lock
 * leaves the core to this one.
 */
const niceness = 19;

/** Pause between two transactions, in which a mutation of the API can take SQLite's write lock. */
const pauseMs = 10;

/** The folders whose clicks are being counted. A second call would repeat the work of a slow first one. */
const counting = new Set<string>();

let location: DatabaseLocation | undefined;
let database: Database | undefined;

serveThread<CountersVerbs>(niceness, {
  async start(argument: DatabaseLocation) {
    location = argument;
    return undefined;
  },
  async count(spool: CountArgument) {
    const { directory } = spool;
    if (counting.has(directory))
      throw new Error("An earlier call, whose caller has given up, still counts this spool.");
    counting.add(directory);
    try {
      return await count(spool);
    } finally {
      counting.delete(directory);
    }
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

async function count({ spoolId, directory, mayPause }: CountArgument): Promise<number> {
  const opened = connected();
  const positions = await counterPositions(opened.db, spoolId);
  const purges = await pendingPurges(opened.db);
  const pauses = new CorePauses(mayPause);
  const folded = await tally(directory, positions, { purges, pause: () => pauses.pause() });
  return await applyTally(opened, spoolId, folded, purges, () => pauses.pause(pauseMs));
}

/** The connection. The first call that needs it opens it; the next call retries after a failure. */
function connected(): Database {
  if (location === undefined) throw new Error("The counters were asked before they were started.");
  database ??= connect(location, "lossy");
  return database;
}
