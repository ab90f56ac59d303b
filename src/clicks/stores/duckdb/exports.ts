import { mkdirSync, rmSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type ClickExport, type ExportFile, type ExportFormat, exportTimeMaxMs } from "../../export.ts";
import type { StoreCopy } from "../../store-copy.ts";
import { untilAborted } from "./abort.ts";
import { compileExportCount, type ExportCount, exportParts } from "./compile-export.ts";
import { copyStore } from "./copy-store.ts";
import { withFilterKeys } from "./filter-keys.ts";
import type { CompiledQuery } from "./sql.ts";
import { type ExportPlace, writeExport } from "./write-export.ts";

/**
 * Opens exports into files of a folder, and removes the files that a killed process has left there. Callers bound
 * their number.
 *
 * 1. Each export has its own connection, so that neither inserts nor queries wait for it.
 * 2. The folder holds nothing but the folders of exports, and no other user can read it.
 * 3. The folder of an export is removed when its signal is aborted, whether its file is complete or not. While its
 *    reader has the file open, its bytes can still be read.
 */
export function openExports(connect: () => Promise<DuckDBConnection>, folder: string) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  /** The removals of all files; each waits for its signal. */
  const removals = new Set<Promise<unknown>>();
  /** New exports wait for this promise before they begin. */
  let barrier: Promise<unknown> = Promise.resolve();

  async function begin(request: ClickExport, signal: AbortSignal): Promise<ExportFile> {
    const stopSignal = AbortSignal.any([signal, closing.signal]);
    stopSignal.throwIfAborted();
    const place = placeIn(folder, request.format);
    const connection = await connect();
    try {
      await mkdir(place.folder, { mode: 0o700 });
      // DuckDB keeps the mode of an existing file.
      await writeFile(place.path, "", { mode: 0o600 });
      // One snapshot for all statements, so that the count matches the file.
      await connection.run("BEGIN TRANSACTION");
      const { keyed, counts } = await inTime(connection, stopSignal, () => countClicks(connection, request));
      const written = inTime(connection, stopSignal, (signal) =>
        writeExport(connection, { request: keyed, parts: exportParts(counts), place }, signal),
      ).finally(() => connection.closeSync());
      track(removals, removeAfter(stopSignal, place.folder, written));
      return {
        clicks: counts.reduce((sum, [, , clicks]) => sum + clicks, 0),
        path: place.path,
        length: track(
          running,
          written.then(async () => (await stat(place.path)).size),
        ),
      };
    } catch (error) {
      connection.closeSync();
      await rm(place.folder, { recursive: true, force: true });
      throw error;
    }
  }

  return {
    /** See CopyStore. A copy counts as a running export: vacuums and closing wait for it. */
    async copy(path: string, signal: AbortSignal): Promise<StoreCopy> {
      await barrier;
      return await beginCopy(connect, path, AbortSignal.any([signal, closing.signal]), running);
    },
    /** See ExportToFile. */
    async begin(request: ClickExport, signal: AbortSignal): Promise<ExportFile> {
      await barrier;
      return await track(running, begin(request, signal));
    },
    /** True while an export is being written. */
    get areRunning(): boolean {
      return running.size > 0;
    },
    /** Runs work while no export is written: waits for the running ones, and delays new ones until the work ends. */
    async whilePaused<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = barrier.then(() => allEnded(running)).then(work);
      barrier = result.catch(() => {});
      return await result;
    },
    /**
     * Aborts the exports, and waits until they have ended and their files are removed. DuckDB crashes the process if it
     * is closed while it works.
     */
    async close(): Promise<void> {
      closing.abort(new Error("The store is closed."));
      await allEnded(running);
      await allEnded(removals);
    },
  };
}

/** Copies the store on a separate connection, as one of the running exports. */
async function beginCopy(
  connect: () => Promise<DuckDBConnection>,
  path: string,
  signal: AbortSignal,
  running: Set<Promise<unknown>>,
): Promise<StoreCopy> {
  const connection = await track(running, connect());
  try {
    const { cursors, written } = await track(running, copyStore(connection, path, signal));
    return {
      cursors,
      written: track(
        running,
        written.finally(() => connection.closeSync()),
      ),
    };
  } catch (error) {
    connection.closeSync();
    throw error;
  }
}

/** Keeps work in a set until it ends, so that close can wait for it. */
function track<Result>(among: Set<Promise<unknown>>, work: Promise<Result>): Promise<Result> {
  among.add(work);
  const forget = () => among.delete(work);
  // The caller handles the failure, if there is a caller.
  work.then(forget, forget);
  return work;
}

async function allEnded(among: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (among.size > 0) await Promise.allSettled([...among]);
}

/** A new folder for an export, and its file. */
function placeIn(folder: string, format: ExportFormat): ExportPlace {
  const own = join(folder, crypto.randomUUID());
  return { folder: own, path: join(own, `clicks.${format}`) };
}

/**
 * Removes the folder when `signal` is aborted, to free space, and again when its writer has ended: DuckDB may have
 * created a file in that moment.
 */
async function removeAfter(signal: AbortSignal, folder: string, written: Promise<unknown>): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  // A folder that cannot be removed is removed when the store is opened again.
  const remove = () => rm(folder, { recursive: true, force: true }).catch(() => {});
  await remove();
  await written.catch(() => {});
  await remove();
}

/** Counts the clicks. `keyed` is the request with the surrogate keys of its filters, which all parts use. */
async function countClicks(
  connection: DuckDBConnection,
  request: ClickExport,
): Promise<{ keyed: ClickExport; counts: ExportCount[] }> {
  const read = async ({ sql, parameters }: CompiledQuery) => await connection.runAndReadAll(sql, parameters);
  const readRows = async (query: CompiledQuery) => (await read(query)).getRowObjects();
  const keyed = { ...request, selection: await withFilterKeys(request.selection, readRows) };
  const rows = (await read(compileExportCount(keyed))).getRows();
  return { keyed, counts: rows.map(([level, range, clicks]) => [Number(level), Number(range), Number(clicks)]) };
}

/** Runs statements until they end, are aborted, or take too long. */
async function inTime<Result>(
  connection: DuckDBConnection,
  stopSignal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(new Error("The export took too long.")), exportTimeMaxMs);
  const signal = AbortSignal.any([stopSignal, overdue.signal]);
  try {
    return await untilAborted(connection, signal, () => work(signal));
  } finally {
    clearTimeout(timer);
  }
}
