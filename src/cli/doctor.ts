import { accessSync, constants, existsSync, statSync } from "node:fs";
import { z } from "zod";
import { checkEnvironment } from "../admin/check-environment.ts";
import { CheckResult, unknownWhileDown } from "../admin/check-result.ts";
import { checkSecret } from "../admin/check-secret.ts";
import { callServer } from "../admin/socket.ts";
import { ScheduleReport } from "../backup/backup-schedule.ts";
import { LastBackup } from "../backup/last-backup.ts";
import { freeDiskBytes } from "../base/disk-space.ts";
import { messageOf } from "../base/message-of.ts";
import { isoTime } from "../base/time.ts";
import { type Config, ConfigError, readConfig, unknownOptions } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { type Database, isReachable } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";
import { refuseMissingDatabase } from "../kept-clicks.ts";
import { openServiceDatabase } from "../open-service-database.ts";
import { readerNames } from "../spools/cursors.ts";
import { checkAbsentServer, checkNewFolder } from "./check-before-start.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkLosses } from "./check-losses.ts";
import { checkSpools } from "./check-spools.ts";
import { checkStore, type StoreStatus, storeStatusWithoutServer } from "./check-store.ts";
import { describeFileProblem, describeInterruptedRestore } from "./data-files.ts";
import { deniedFolder, switchToFolderOwner } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { withDatabaseLock } from "./lock-database.ts";

/** Less than a busy day of clicks needs. */
const freeBytesMin = 1024 ** 3;
/** Files grow by blocks, so the last bytes of a full disk may be unusable. */
const fullBytesMax = 1024 ** 2;

/** Runs all checks and prints one line for each; true when all pass. */
export async function doctor(asJson: boolean): Promise<boolean> {
  const results = await runChecks();
  const text = asJson
    ? JSON.stringify(results)
    : results.map((result) => `${wordOf(result)}  ${result.check}: ${result.detail}`).join("\n");
  process.stdout.write(`${text}\n`);
  return results.every(({ ok }) => ok);
}

function wordOf({ ok, warning }: CheckResult): string {
  if (!ok) return "FAIL";
  return warning === true ? "warn" : "ok  ";
}

async function runChecks(): Promise<CheckResult[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: "options", ok: false, detail: error.message }];
  }
  // For a user without access, the other checks would describe a folder that they cannot see.
  const denied = deniedFolder(config);
  if (denied !== undefined) return [{ check: "data folder", ok: false, detail: denied }];
  const status = await serverStatus(config);
  // Opening the databases creates files in the folder: the folder's owner opens them, once the folder is checked.
  if (status === undefined) switchToFolderOwner(config);
  const folderChecks = [
    checkNames(),
    await checkFolder(config),
    checkFiles(config),
    status === undefined
      ? checkAbsentServer(config)
      : { check: "server", ok: true, detail: `running on this data folder, process ${status.pid}` },
  ];
  const database = status === undefined ? await checkDatabase(config) : databaseOfServer(status);
  return [
    ...folderChecks,
    database,
    checkSpools(config, status?.spoolLag),
    checkLosses(config),
    await checkClicks(config, status, database),
    ...(status === undefined ? [] : await checksOfServer(config, status)),
    ...(await checkServerEnvironment(config)),
  ];
}

/** Only warns: an orchestrator may set names such as WAYPOST_SERVICE_HOST. */
function checkNames(): CheckResult {
  const unknown = unknownOptions();
  if (unknown.length === 0) return { check: "options", ok: true, detail: "all are valid" };
  const detail = `this version has no ${unknown.join(", ")}, which has no effect; the others are valid`;
  return { check: "options", ok: true, warning: true, detail };
}

async function checkFolder(config: Config): Promise<CheckResult> {
  const { data } = dataPaths(config);
  const check = "data folder";
  try {
    const found = statSync(data, { throwIfNoEntry: false });
    if (found === undefined) return checkNewFolder(data);
    if (!found.isDirectory()) return { check, ok: false, detail: `${data} is no folder; set WAYPOST_DATA to one` };
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      check,
      ok: false,
      detail: `${data} cannot be written to; give its ownership to the user that runs Waypost`,
    };
  }
  const interrupted = describeInterruptedRestore(config);
  if (interrupted !== undefined) return { check, ok: false, detail: interrupted };
  const free = await freeDiskBytes(data);
  return { check, ok: free >= freeBytesMin, detail: roomText(data, free) };
}

function roomText(data: string, free: number): string {
  if (free < fullBytesMax) return `${data}: No space left on device. Free some space: until then clicks are lost.`;
  const room = `${data}, ${Math.floor(free / 1024 ** 2)} MiB free`;
  return free < freeBytesMin ? `${room}. Free some space for clicks.` : room;
}

function checkFiles(config: Config): CheckResult {
  const wrong = describeFileProblem(config);
  return { check: "permissions", ok: wrong === undefined, detail: wrong ?? "only their owner can read the files" };
}

/** Without PostgreSQL, ClickHouse's tables are not opened, which says nothing about ClickHouse. */
async function checkClicks(
  config: Config,
  status: z.output<typeof Status> | undefined,
  database: CheckResult,
): Promise<CheckResult> {
  if (status !== undefined) return checkStore(config, storeStatus(status));
  const isUnknown = config.WAYPOST_CLICKS_URL !== undefined && !database.ok;
  if (isUnknown) return { check: "clicks", ok: false, detail: unknownWhileDown };
  return checkStore(config, await storeStatusWithoutServer(config));
}

/** What only the database of a running server knows. */
async function checksOfServer(config: Config, status: z.output<typeof Status>): Promise<CheckResult[]> {
  if (status.databaseOutage === null) return [backupResult(config, status), ...(await checkCertificates(config))];
  return ["backup", "certificates"].map((check) => ({ check, ok: false, detail: unknownWhileDown }));
}

/** Without a schedule it always passes, because there are other ways to back up. */
function backupResult(config: Config, { lastBackup, schedule }: z.output<typeof Status>): CheckResult {
  const none =
    config.WAYPOST_CLICKS_URL === undefined
      ? "none was made with waypost backup"
      : "back up PostgreSQL and ClickHouse with their own tools";
  const last =
    lastBackup === null
      ? none
      : `the last one began ${isoTime(lastBackup.at)} and has ${lastBackup.bytes.toLocaleString("en")} bytes`;
  const failed = schedule?.state?.failures ?? 0;
  if (failed === 0) return { check: "backup", ok: true, detail: last };
  const attempts = failed === 1 ? "the last scheduled backup" : `the last ${failed} scheduled backups`;
  return { check: "backup", ok: false, detail: `${attempts} failed: ${schedule?.state?.reason} Before: ${last}` };
}

const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

const Status = z.object({
  pid: z.int(),
  engine: z.enum(["sqlite", "postgres"]),
  databaseOutage: z.string().nullable(),
  movedTo: z.string().nullable(),
  lastBackup: LastBackup.nullable(),
  schedule: ScheduleReport.nullable(),
  clicks: z.string().nullable(),
  storeLosses: z.array(z.object({ kind: z.enum(["replaced", "older"]), bytes: z.number(), foundAt: z.number() })),
  spoolLag: z.record(z.enum(readerNames), z.number()),
});

function storeStatus({ clicks, storeLosses }: z.output<typeof Status>): StoreStatus | undefined {
  return clicks === null ? undefined : { failure: clicks, losses: storeLosses };
}

/** Asks the running server, which alone can open the files that it has locked. */
async function serverStatus(config: Config): Promise<z.output<typeof Status> | undefined> {
  const called = await callServer(dataPaths(config).adminSocket, "status", {});
  return called.kind === "result" ? Status.parse(called.result) : undefined;
}

/** Checks with the running server's options, which may differ from those of this terminal. */
async function checkServerEnvironment(config: Config): Promise<CheckResult[]> {
  const called = await callServer(dataPaths(config).adminSocket, "check environment", {});
  if (called.kind === "result") return z.array(CheckResult).parse(called.result);
  return [...(await checkEnvironment(config)), await checkSecretWithoutServer(config)];
}

/** A database that cannot be opened is the finding of another check. */
async function checkSecretWithoutServer(config: Config): Promise<CheckResult> {
  if (!hasDatabase(config)) return await checkSecret(config, undefined);
  try {
    return await withOpenDatabase(config, ({ db }) => checkSecret(config, db));
  } catch {
    return await checkSecret(config, undefined);
  }
}

function hasDatabase(config: Config): boolean {
  return config.WAYPOST_DATABASE_URL !== undefined || existsSync(dataPaths(config).sqlite);
}

/** Opening the database migrates it, which must not happen while a server on another machine uses it. */
async function withOpenDatabase<Result>(config: Config, use: (database: Database) => Promise<Result>): Promise<Result> {
  return await withDatabaseLock(config, async () => {
    const database = await openServiceDatabase(config);
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  });
}

async function checkDatabase(config: Config): Promise<CheckResult> {
  const check = "database";
  try {
    refuseMissingDatabase(config);
    if (!hasDatabase(config)) return { check, ok: true, detail: "SQLite; will be created at the first start" };
    const ok = await withOpenDatabase(config, ({ db }) => isReachable(db));
    return databaseResult(databaseLocation(config).kind, ok);
  } catch (error) {
    return { check, ok: false, detail: messageOf(explainFailure(error, config)) };
  }
}

function databaseOfServer({ engine, databaseOutage, movedTo }: z.output<typeof Status>): CheckResult {
  if (databaseOutage !== null) return { check: "database", ok: false, detail: databaseOutage };
  if (movedTo === null) return databaseResult(engine, true);
  const detail = `its data was moved to ${movedTo}, so changes are refused; restart Waypost with WAYPOST_DATABASE_URL`;
  return { check: "database", ok: false, detail };
}

function databaseResult(engine: keyof typeof engineNames, ok: boolean): CheckResult {
  return { check: "database", ok, detail: `${engineNames[engine]} ${ok ? "answers" : "does not answer"}` };
}
