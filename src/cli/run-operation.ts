import { type AdminDeps, type OperationName, operations } from "../admin/operations.ts";
import { callServer } from "../admin/socket.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { openDatabase } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";
import { folderInUse, holdDataFolder } from "./data-folder.ts";
import { explainFailure } from "./failure.ts";

/** Another command ends, or a server starts to answer, well within this time. */
const folderWaitMaxMs = 10_000;
const folderPollMs = 25;

/**
 * Runs an operation in the server that uses the data folder, or, when none runs, on the database itself.
 * Commands given at the same time take turns.
 */
export async function runOperation(name: OperationName, input: Record<string, unknown>): Promise<unknown> {
  const config = readConfig();
  const deadline = Date.now() + folderWaitMaxMs;
  while (Date.now() < deadline) {
    const called = await callServer(dataPaths(config).adminSocket, name, input);
    if (called.kind === "result") return called.result;
    const held = holdDataFolder(config);
    if (held === undefined) {
      await Bun.sleep(folderPollMs);
      continue;
    }
    try {
      return await withDatabase(config, (deps) => operations[name].run(deps, input));
    } finally {
      held.release();
    }
  }
  throw folderInUse(config);
}

async function withDatabase<Result>(config: Config, use: (deps: AdminDeps) => Promise<Result>): Promise<Result> {
  try {
    const database = await openDatabase(databaseLocation(config));
    try {
      return await use({ db: database.db, now: Date.now });
    } finally {
      await database.close();
    }
  } catch (error) {
    throw explainFailure(error, config);
  }
}
