/**
 * The process that owns the click store and reads the spool, so that parsing, enriching and appending never delay a
 * redirect, and so that a failed engine ends with its process.
 *
 * 1. The store is opened once, at the start. A failure to open it ends the process.
 * 2. A change that fails ends the process, and so does a question that finds the engine invalid: only a process that
 *    reads the file again knows what was stored. A failed question, and a spool that cannot be read, end nothing.
 * 3. A cursor is told to the owner only when the commit that moved it has been synced, which DuckDB does in COMMIT.
 */
import { messageOf } from "../base/message-of.ts";
import { FatalError, serveSubprocess } from "../base/subprocess.ts";
import { ingest } from "./ingest.ts";
import type { PipelineCalls, PipelineSettings } from "./pipeline.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb/duckdb-store.ts";
import { isEngineInvalid } from "./stores/duckdb/engine.ts";

/** The lowest priority there is; readers of reports wait a little longer under full load, visitors never. */
const niceness = 19;

const microsecondsPerSecond = 1_000_000;

const opened = Promise.withResolvers<ClickStore>();
let isClosing = false;

/** Exports under way, by the ids that the owner gives them; its bound is the owner's. */
const exports = new Map<string, { ending: AbortController; ended: Promise<void> | undefined }>();

serveSubprocess<PipelineCalls>(niceness, {
  async start(settings: PipelineSettings) {
    opened.resolve(await openDuckDbStore(settings));
    return undefined;
  },
  storeId: () => ask((store) => store.storeId()),
  cursor: (spoolId) => change((store) => store.cursor(spoolId)),
  async ingest({ spool, purges }) {
    const store = await opened.promise;
    const { cursor, insert } = store;
    const orEnd = {
      ...store,
      cursor: (spoolId: string) => orFatal(cursor(spoolId)),
      insert: (...batch: Parameters<typeof insert>) => orFatal(insert(...batch)),
    };
    return await ingest(orEnd, spool, purges);
  },
  query: (query) => ask((store) => store.query(query)),
  firstClick: (workspaceId) => ask((store) => store.firstClick(workspaceId)),
  lastClicks: (asked) => ask((store) => store.lastClicks(asked)),
  page: (page) => ask((store) => store.page(page)),
  appendedSince: (asked) => ask((store) => store.appendedSince(asked)),
  async startExport({ id, order }) {
    const ending = new AbortController();
    exports.set(id, { ending, ended: undefined });
    try {
      const { clicks, ended } = await ask((store) => store.export(order, ending.signal));
      ending.signal.throwIfAborted();
      exports.set(id, { ending, ended });
      return clicks;
    } catch (error) {
      exports.delete(id);
      throw error;
    }
  },
  async awaitExport(id) {
    try {
      const ended = exports.get(id)?.ended;
      if (ended === undefined) throw new Error("The export was cancelled.");
      await ended;
      return undefined;
    } finally {
      exports.delete(id);
    }
  },
  async cancelExport(id) {
    exports.get(id)?.ending.abort(new Error("The export was cancelled."));
    exports.delete(id);
    return undefined;
  },
  linkCounts: (page) => ask((store) => store.linkCounts(page)),
  recountAggregates: (order) => change((store) => store.recountAggregates(order)),
  async erase(scope) {
    await change((store) => store.erase(scope));
    return undefined;
  },
  async expire(scope) {
    await change((store) => store.expire(scope));
    return undefined;
  },
  vacuum: () => change((store) => store.vacuum()),
  async stopVacuum() {
    await (await opened.promise).stopVacuum();
    return undefined;
  },
  async usage() {
    const { user, system } = process.cpuUsage();
    return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / microsecondsPerSecond };
  },
  async close() {
    isClosing = true;
    // The batch under way is waited for, and queries are ended.
    await (await opened.promise).close();
    return undefined;
  },
});

async function ask<Result>(question: (store: ClickStore) => Promise<Result>): Promise<Result> {
  const store = await opened.promise;
  try {
    return await question(store);
  } catch (error) {
    if (isEngineInvalid(error)) throw fatal(error);
    throw error;
  }
}

async function change<Result>(work: (store: ClickStore) => Promise<Result>): Promise<Result> {
  return await orFatal(work(await opened.promise));
}

async function orFatal<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    // A store that closes refuses what comes, and may still write its checkpoint.
    if (isClosing) throw error;
    throw fatal(error);
  }
}

function fatal(error: unknown): FatalError {
  return new FatalError(messageOf(error), { cause: error });
}
