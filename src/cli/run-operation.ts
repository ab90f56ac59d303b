import { mkdirSync } from "node:fs";
import { type OperationName, operations } from "../admin/operations.ts";
import { callServer } from "../admin/socket.ts";
import { dataPaths, readConfig } from "../config.ts";
import { openDatabase } from "../database/database.ts";
import { tryLock } from "../database/sqlite.ts";
import { Refusal } from "./refusal.ts";

/** Runs an operation in the server that uses the data folder, or, when none runs, on the database itself. */
export async function runOperation(name: OperationName, input: Record<string, unknown>): Promise<unknown> {
  const config = readConfig();
  const paths = dataPaths(config);
  const called = await callServer(paths.adminSocket, name, input);
  if (called.kind === "result") return called.result;

  mkdirSync(paths.data, { recursive: true, mode: 0o700 });
  const lock = tryLock(paths.lock);
  if (lock === undefined) {
    throw new Refusal(
      `Another Waypost uses ${paths.data} but does not answer on its admin socket; try again in a moment.`,
    );
  }
  try {
    const url = config.WAYPOST_DATABASE_URL;
    const database = await openDatabase(
      url === undefined ? { kind: "sqlite", path: paths.sqlite } : { kind: "postgres", url },
    );
    try {
      return await operations[name].run({ db: database.db, now: Date.now }, input);
    } finally {
      await database.close();
    }
  } finally {
    lock.release();
  }
}
