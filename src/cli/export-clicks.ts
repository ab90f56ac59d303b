import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { extname } from "node:path";
import { exportForOperator } from "../admin/export-clicks.ts";
import { exportFromServer } from "../admin/socket.ts";
import { type ExportStream, openExports } from "../analytics/exports.ts";
import { freeDiskBytes } from "../base/disk-space.ts";
import { openLog } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import { clickStoreSettings } from "../click-store-location.ts";
import { type ExportFormat, exportFormats } from "../clicks/export.ts";
import { type Pipeline, startPipeline } from "../clicks/pipeline.ts";
import { viewSpool } from "../clicks/spool-view.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { openServiceDatabase } from "../open-service-database.ts";
import { spoolFolders } from "../spools/spool-folders.ts";
import { CliError } from "./cli-error.ts";
import { folderInUseError, lockDataFolderAsOwner, otherOwner } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { ExportProgress } from "./export-progress.ts";
import { withDatabaseLock } from "./lock-database.ts";
import { asFolderOwner, requirePlaceFor } from "./require-place-for.ts";

/** The output file, the workspace, and the query of GET /v1/events/export. */
type ExportClicksOptions = {
  out: string;
  force?: true;
  format?: string;
  workspace?: number;
  query: Record<string, string>;
};

/**
 * Exports clicks into a file, through the running server or, without one, from the store itself.
 * Guarantee: the file appears under its name only when it is complete.
 * Throws CliError for a path that cannot name a new file, and the errors of exportForOperator.
 */
export async function exportClicks({ out, force, format, workspace, query }: ExportClicksOptions): Promise<void> {
  const requirePlace = () => requirePlaceFor(out, "Give a file in it.");
  requirePlace();
  if (force !== true) refuseExisting(out);
  const request = { workspace, query: { ...query, format: format ?? formatOf(out) } };
  const config = readConfig();
  const controller = new AbortController();
  const stop = () => controller.abort(new CliError("The export was stopped; nothing was written."));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  const save = (stream: ExportStream) =>
    writeWhole(out, stream, { format: request.query.format, mayReplace: force === true, signal: controller.signal });

  const called = await exportFromServer(dataPaths(config).adminSocket, request, controller.signal);
  if (called.kind === "export") await save(called);
  else await withoutServer(config, requirePlace, async (begin) => await save(await begin(request, controller.signal)));
}

function refuseExisting(out: string): void {
  if (existsSync(out)) throw new CliError(`${out} already exists. Choose another file, or replace it with --force.`);
}

/** Returns the format of a file name's extension; CSV without one. Throws CliError for any other extension. */
function formatOf(out: string): ExportFormat {
  const extension = extname(out).toLowerCase();
  if (extension === "") return "csv";
  const format = exportFormats.find((each) => extension === `.${each}`);
  if (format !== undefined) return format;
  const formats = exportFormats.join(", ");
  throw new CliError(
    `--out: ${extension} is not the extension of a format (${formats}). Give the format with --format.`,
  );
}

type Begin = (input: unknown, signal: AbortSignal) => Promise<ExportStream>;

async function withoutServer(
  config: Config,
  requirePlace: () => void,
  use: (begin: Begin) => Promise<void>,
): Promise<void> {
  const owner = otherOwner(config);
  const held = lockDataFolderAsOwner(config);
  if (held === undefined) throw folderInUseError(config);
  try {
    await asFolderOwner(owner, requirePlace);
    await withDatabaseLock(config, () => withStores(config, use));
  } catch (error) {
    throw explainFailure(error, config);
  } finally {
    held.release();
  }
}

async function withStores(config: Config, use: (begin: Begin) => Promise<void>): Promise<void> {
  const paths = dataPaths(config);
  const database = await openServiceDatabase(config);
  const pipeline = startPipeline(clickStoreSettings(config));
  const log = openLog(config.WAYPOST_LOG_LEVEL);
  const exports = openExports({
    ...{ pipeline, log, onEnd() {} },
    bytesMax: config.WAYPOST_EXPORTS_MAX_BYTES,
    freeBytes: () => freeDiskBytes(paths.data),
  });
  try {
    const deps = { db: database.reads, pipeline, exports, now: Date.now };
    await use((input, signal) => exportForOperator(deps, input, signal));
    if (await areClicksWaiting(config, pipeline)) {
      process.stderr.write(
        "The export does not contain the clicks that wait in the spool; the service stores them when it runs.\n",
      );
    }
  } finally {
    exports.close();
    await pipeline.close();
    await database.close();
  }
}

/** True when a spool holds clicks that are not stored yet. */
async function areClicksWaiting(config: Config, pipeline: Pick<Pipeline, "cursor">): Promise<boolean> {
  for (const folder of spoolFolders(config)) {
    const spool = viewSpool(folder);
    if (spool !== undefined && (await pipeline.cursor(spool.id)) < spool.end) return true;
  }
  return false;
}

type Saving = { format: string; mayReplace: boolean; signal: AbortSignal };

/** Writes to a temporary name and renames at the end, so that the file is never incomplete. */
async function writeWhole(
  out: string,
  { clicks, stream }: ExportStream,
  { format, mayReplace, signal }: Saving,
): Promise<void> {
  const part = `${out}.part-${process.pid}`;
  const file = await open(part, "wx", 0o600).catch(async (error: Error) => {
    await stream.cancel();
    throw new CliError(`--out: ${out} cannot be written to (${error.message}).`);
  });
  try {
    const progress = new ExportProgress(clicks, format);
    for await (const bytes of stream) {
      signal.throwIfAborted();
      await file.writeFile(bytes);
      progress.advance(bytes);
    }
    signal.throwIfAborted();
    await file.sync();
    await file.close();
    if (!mayReplace) refuseExisting(out);
    await rename(part, out);
    progress.end(out);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    const message = messageOf(error);
    throw new CliError(`The export failed, and nothing was written (${message}). The server's log has more details.`);
  }
}
