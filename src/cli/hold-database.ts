import { secondMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import { type DatabaseLock, type LockHolder, lockPostgres } from "../database/postgres-lock.ts";
import { databaseLocation } from "../database-location.ts";
import { explainFailure } from "./failure.ts";
import { Refusal } from "./refusal.ts";

/** A process that is being replaced, or was killed, releases its lock well within this time. */
const waitMaxMs = 5 * secondMs;

/** The relational database, held by this process alone until it is released. */
export type HeldDatabase = {
  /** Resolves with what to tell the operator when another process has taken the database; mostly never. */
  readonly lost: Promise<Refusal>;
  release(): Promise<void>;
};

/**
 * Holds the PostgreSQL database of the configuration for this process alone. A SQLite file is held with its data folder.
 * Throws Refusal with one line when another Waypost holds the database, or PostgreSQL does not answer.
 */
export async function holdDatabase(config: Config): Promise<HeldDatabase> {
  const location = databaseLocation(config);
  if (location.kind === "sqlite") return { lost: new Promise(() => {}), async release() {} };
  const result = await lockPostgres(location.url, waitMaxMs).catch((error: unknown) => {
    throw explainFailure(error, config);
  });
  if (result.kind === "taken") throw databaseInUse(location.url, result.by);
  return withMessage(location.url, result.lock);
}

/** Does work while this process alone holds the database; see holdDatabase. */
export async function withDatabaseHeld<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  const held = await holdDatabase(config);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

function withMessage(url: string, lock: DatabaseLock): HeldDatabase {
  return { lost: lock.lost.then((by) => databaseInUse(url, by)), release: () => lock.release() };
}

/** Says which process to stop, and what to do instead. */
function databaseInUse(url: string, { host: holderHost, pid }: LockHolder): Refusal {
  const { host, pathname } = new URL(url);
  const holder = pid === "" ? "" : ` (process ${pid} on ${holderHost})`;
  return new Refusal(
    `WAYPOST_DATABASE_URL: the PostgreSQL database ${pathname.slice(1)} at ${host} is in use by another Waypost${holder}. ` +
      "One Waypost at a time can use a database: stop that one, or use another database. " +
      "Give commands with the WAYPOST_DATA of the running Waypost, on its machine.",
  );
}
