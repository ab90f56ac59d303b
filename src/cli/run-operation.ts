import { existsSync } from "node:fs";
import { z } from "zod";
import type { AdminDeps } from "../admin/operation.ts";
import { accessOf, type OperationName, operations } from "../admin/operations.ts";
import { callServer, useBackupOfServer } from "../admin/socket.ts";
import { type StagedBackup, type StageOptions, withStagedBackup } from "../backup/stage-backup.ts";
import { lockFileWithin } from "../base/file-lock.ts";
import { openLog } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Node } from "../nodes/node.ts";
import { isNewDatabase, openServiceDatabase } from "../open-service-database.ts";
import { CliError } from "./cli-error.ts";
import { folderInUseError, lockDataFolderAsOwner, silentServiceError } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { withDatabaseLock } from "./lock-database.ts";

/** Within this time another command ends, or a starting server answers. */
const folderWaitMaxMs = 10_000;
const folderPollMs = 25;
/** A main process whose supervisor was killed ends well within this time. */
const lockTimeMaxMs = 5 * secondMs;

/**
 * Runs an operation in the running server or, without one, directly on the database.
 * Concurrent commands run one after another.
 * Throws CliError for a folder without a database, unless the operation creates the first user.
 */
export async function runOperation(name: OperationName, input: Record<string, unknown>): Promise<unknown> {
  const config = readConfig();
  return await inServerOrFolder(config, {
    inServer: () => callServer(dataPaths(config).adminSocket, name, input),
    inFolder() {
      if (name !== "user create") requireData(config, noDataAdvice);
      return withDatabase(config, (deps) => operations[name].run(deps, input));
    },
  });
}

/** Returns where and how people sign in to the running server; without one, by this command's options. */
export async function serviceAccess(): Promise<z.output<typeof ServiceAccess>> {
  const config = readConfig();
  const called = await callServer(dataPaths(config).adminSocket, "url", {});
  return called.kind === "result" ? ServiceAccess.parse(called.result) : accessOf(config);
}

const ServiceAccess = z.object({ url: z.url(), onlyProvider: z.string().nullable() });

/** Runs one operation. */
export type RunOperation = (name: OperationName, input: Record<string, unknown>) => Promise<unknown>;

/**
 * Runs several operations one after another in the running server or, without one, on all resources that a server
 * opens.
 * Throws "unavailable" when the server stops between two operations.
 */
export async function runOperations<Result>(
  use: (run: RunOperation) => Promise<Result>,
  config: Config = readConfig(),
): Promise<Result> {
  const { adminSocket } = dataPaths(config);
  const inServer: RunOperation = async (name, input) => {
    const called = await callServer(adminSocket, name, input);
    if (called.kind === "result") return called.result;
    throw new Problem("unavailable", "The running server has stopped. Run the command again.");
  };
  return await inServerOrFolder(config, {
    async inServer() {
      const status = await callServer(adminSocket, "status", {});
      return status.kind === "result" ? { kind: "result", result: await use(inServer) } : status;
    },
    inFolder: (node) => withApp(config, node, (deps) => use((name, input) => operations[name].run(deps, input))),
  });
}

/**
 * Makes the copies of a backup in the running server or, without one, from the data folder, and passes them to `use`.
 * Without a server, it calls `requirePlace` before it copies, as the user who will write the backup.
 * Throws CliError when there is nothing to back up.
 */
export async function useBackup<Result>(
  options: StageOptions,
  requirePlace: () => Promise<unknown>,
  use: (staged: StagedBackup) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  return await inServerOrFolder(config, {
    inServer: () => useBackupOfServer(dataPaths(config).adminSocket, options, use),
    async inFolder(node) {
      requireData(config, nothingToBackUp);
      await requirePlace();
      return await withApp(config, node, async ({ app, db }) => {
        if (app === undefined) throw new Error("A backup needs more than the database.");
        // The copy would create a click store, which the first start would take for that of another database.
        if (await isNewDatabase(db)) throw new CliError(nothingToBackUp);
        return withStagedBackup(app, options, use);
      });
    },
  });
}

const nothingToBackUp = "There is nothing to back up.";
const noDataAdvice = "Give the data folder of the service, or create its first user with waypost user create.";

function requireData(config: Config, advice: string): void {
  const { data, sqlite } = dataPaths(config);
  if (config.WAYPOST_DATABASE_URL !== undefined || existsSync(sqlite)) return;
  throw new CliError(`WAYPOST_DATA: ${data} holds no data of Waypost. ${advice}`);
}

type RunTargets<Result> = {
  inServer(): Promise<{ kind: "result"; result: Result } | { kind: "noServer" }>;
  /** Called while this process holds the locks of the data folder and the database, as that node. */
  inFolder(node: Node | undefined): Promise<Result>;
};

async function inServerOrFolder<Result>(config: Config, { inServer, inFolder }: RunTargets<Result>): Promise<Result> {
  const deadline = performance.now() + folderWaitMaxMs;
  while (performance.now() < deadline) {
    const called = await inServer();
    if (called.kind === "result") return called.result;
    const held = lockDataFolderAsOwner(config);
    if (held === undefined) {
      await Bun.sleep(folderPollMs);
      continue;
    }
    try {
      return await withDatabaseLock(config, inFolder);
    } finally {
      held.release();
    }
  }
  throw config.WAYPOST_DATABASE_URL === undefined ? folderInUseError(config) : silentServiceError(config);
}

async function withDatabase<Result>(config: Config, use: (deps: AdminDeps) => Promise<Result>): Promise<Result> {
  try {
    const database = await openServiceDatabase(config);
    try {
      return await use({ db: database.db, now: Date.now, config });
    } finally {
      await database.close();
    }
  } catch (error) {
    throw explainFailure(error, config);
  }
}

async function withApp<Result>(
  config: Config,
  node: Node | undefined,
  use: (deps: AdminDeps) => Promise<Result>,
): Promise<Result> {
  const held = await lockFileWithin(dataPaths(config).mainLock, lockTimeMaxMs);
  if (held === undefined) throw folderInUseError(config);
  // Loaded here, because most commands do not need it.
  const { openApp } = await import("../app.ts");
  try {
    const app = await openApp(config, openLog("warn"), undefined, node);
    try {
      return await use({ db: app.db, now: app.now, config, app });
    } finally {
      await app.close();
    }
  } catch (error) {
    throw explainFailure(error, config);
  } finally {
    held.release();
  }
}
