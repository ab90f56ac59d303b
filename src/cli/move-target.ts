import { randomUUID } from "node:crypto";
import { isBusy } from "../base/file-lock.ts";
import { connect } from "../database/database.ts";
import { openDatabaseForCopy } from "../database/open-database.ts";
import { isPostgresEmpty } from "../database/postgres-copy.ts";
import { refuseOtherEncoding } from "../database/postgres-encoding.ts";
import { openPostgresRows } from "../database/postgres-rows.ts";
import type { LockedRows } from "../database/sqlite-rows.ts";
import type { ChangeTarget, TableTarget } from "../database/table-rows.ts";
import { CliError } from "./cli-error.ts";

/**
 * Opens the PostgreSQL database that receives the data of `name`, with its schema. Throws CliError for a database that is not
 * empty, except for an unfinished copy.
 */
export async function openTarget(url: string, name: string): Promise<ChangeTarget> {
  await requireEncoding(url);
  await prepare(url, name);
  await (await openDatabaseForCopy({ kind: "postgres", url })).close();
  return await openPostgresRows(url);
}

async function requireEncoding(url: string): Promise<void> {
  const { db, close } = connect({ kind: "postgres", url }, "full");
  try {
    await refuseOtherEncoding(db);
  } finally {
    await close();
  }
}

/** Begins the copy before the schema exists, so that an interruption in between is known as our own. */
async function prepare(url: string, name: string): Promise<void> {
  const target = await openPostgresRows(url);
  try {
    if ((await target.progress()) !== undefined) return;
    if (!(await isPostgresEmpty(url)))
      throw new CliError("--to-database: the database is not empty. Use an empty one.");
    await target.begin(name);
  } finally {
    await target.close();
  }
}

/**
 * Marks the rows as moved to another engine, into a target that equals them. Until the target is finished, no Waypost uses
 * either of them.
 */
export async function markMovedInto(target: TableTarget, rows: LockedRows, engine: string): Promise<void> {
  const copyId = randomUUID();
  await target.complete(await rows.lastNumbers(), copyId);
  await rows.endMoved(engine, copyId);
}

/** Each attempt waits for the file; see busyTimeoutMs. */
const attemptsMax = 6;

/** Locks the SQLite file at `path`, between the changes of its service. Throws CliError when one of them does not end. */
export function lockFile<Locked>(path: string, lock: () => Locked): Locked {
  for (let attempt = 1; ; attempt++) {
    try {
      return lock();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (attempt === attemptsMax) throw new CliError(`${path} is being changed. Run the command again.`);
    }
  }
}
