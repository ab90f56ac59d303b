import { secondMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import { type DatabaseLock, type LockHolder, lockPostgres } from "../database/postgres-lock.ts";
import { databaseLocation } from "../database-location.ts";
import { CliError } from "./cli-error.ts";
import { explainFailure } from "./explain-failure.ts";

/** A process that is stopping or was killed releases its lock well within this time. */
const waitMaxMs = 5 * secondMs;

/** The lock of the relational database. */
type LockedDatabase = {
  /** Resolves with an error for the operator when another process has taken the database; usually never. */
  readonly lost: Promise<CliError>;
  release(): Promise<void>;
};

/**
 * Locks the PostgreSQL database of the configuration. The lock of the data folder protects a SQLite file.
 * Throws CliError when another Waypost holds the lock, or PostgreSQL does not answer.
 */
export async function lockDatabase(config: Config): Promise<LockedDatabase> {
  const location = databaseLocation(config);
  if (location.kind === "sqlite") return { lost: new Promise(() => {}), async release() {} };
  const result = await lockPostgres(location.url, waitMaxMs).catch((error: unknown) => {
    throw explainFailure(error, config);
  });
  if (result.kind === "taken") throw databaseInUseError(location.url, result.by);
  return withMessage(location.url, result.lock);
}

/** Runs work while this process holds the lock of the database; see lockDatabase. */
export async function withDatabaseLock<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  const held = await lockDatabase(config);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

function withMessage(url: string, lock: DatabaseLock): LockedDatabase {
  return { lost: lock.lost.then((by) => databaseInUseError(url, by)), release: () => lock.release() };
}

/** Names the process to stop, and the alternatives. */
function databaseInUseError(url: string, { host: holderHost, pid }: LockHolder): CliError {
  const { host, pathname } = new URL(url);
  const holder = pid === "" ? "" : ` (process ${pid} on ${holderHost})`;
  return new CliError(
    `WAYPOST_DATABASE_URL: the PostgreSQL database ${pathname.slice(1)} at ${host} is in use by another Waypost${holder}. ` +
      "One Waypost at a time can use a database: stop that one, or use another database. " +
      "Run commands with the WAYPOST_DATA of the running Waypost, on its machine.",
  );
}
