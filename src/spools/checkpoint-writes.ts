/** Checkpoints of SQLite: they move its log into its file. Each is made only if something was written since the last one. */
import { checkpoint, type Database } from "../database/database.ts";
import type { Counters } from "../links/counters.ts";
import { readerNames } from "./cursors.ts";
import { spoolReaders } from "./readers.ts";
import type { Spools } from "./spools.ts";

/** The commits of all processes and the counted clicks at the last checkpoint. */
export type Checkpointed = { commits: number; counted: number };

type Deps = { database: Database; spools: Spools; checkpointed: Checkpointed };

/** Checkpoints in the counters' thread, so that no visitor waits for it. Does nothing in an idle service. */
export async function checkpointWrites(app: Deps & { counters: Pick<Counters, "checkpoint"> }): Promise<void> {
  const written = writesOf(app);
  if (written.commits === app.checkpointed.commits && written.counted === app.checkpointed.counted) return;
  await app.counters.checkpoint();
  app.checkpointed = written;
}

/**
 * Checkpoints what the start has written, in this thread, before visitors come: it would be the only work of the counters'
 * thread in an unused service.
 */
export async function checkpointStart(app: Deps): Promise<void> {
  const written = writesOf(app);
  await checkpoint(app.database);
  app.checkpointed = written;
}

/** What tells that SQLite was written to; always the same without SQLite. */
function writesOf({ database: { sqlite }, spools }: Deps): Checkpointed {
  return sqlite === undefined
    ? { commits: 0, counted: 0 }
    : { commits: sqlite.commits(), counted: sumOfDatabaseCursors(spools) };
}

/** Grows with each step of a reader that writes to the database. */
function sumOfDatabaseCursors(spools: Spools): number {
  const names = readerNames.filter((name) => spoolReaders[name].needs === "database");
  return spools.all().reduce((sum, { cursors }) => names.reduce((total, name) => total + cursors[name], sum), 0);
}
