/**
 * The store process, which owns the click store and reads the spools. So parsing, enriching and inserting clicks never
 * delay a redirect, and a failed engine ends with this process.
 *
 * 1. The process opens the store once, when it starts. If that fails, it ends.
 * 2. A failed write ends the process if the engine needs that (`endsWithFailedWrite`). A failed read ends it only if the
 *    store must be opened again (`needsReopening`). An unreadable spool does not end it.
 * 3. The main process learns a cursor only after the commit that moved it is synced. DuckDB syncs in COMMIT.
 */
import { VerbError } from "../base/calls.ts";
import { messageOf } from "../base/message-of.ts";
import { coreWaitMs } from "../base/priority.ts";
import { FatalError, serveSubprocess } from "../base/subprocess.ts";
import { ingest } from "./ingest.ts";
import type { PipelineCalls, StoreFailure, StoreHandlers } from "./pipeline.ts";
import type { ServedClickStore } from "./store.ts";
import { forEachStoreCall } from "./store-calls.ts";
import type { WrittenCopy } from "./store-copy.ts";
import { exceedsMemory, needsReopening, openClickStore } from "./stores/open-click-store.ts";

/**
 * The lowest priority: under full load, reports wait a little longer, but visitors do not. A niceness of 10 costs 7 % of the
 * redirects (docs/performance.md).
 */
const niceness = 19;

/**
 * Clicks stored between two garbage collections. A batch outlives a collection of young objects, so the heap would grow
 * to four times its use: 40 MiB for a backlog.
 */
const clicksBetweenCollections = 16_000;
/**
 * The least time of storing clicks between two collections, in durations of the last one. A collection takes 8 ms, and up
 * to 90 ms for each cache of surrogate keys that is full.
 */
const storingPerCollection = 10;

const microsecondsPerSecond = 1_000_000;

const opened = Promise.withResolvers<ServedClickStore>();
let isClosing = false;
/** The clicks stored since the last garbage collection, the time that this took, and the duration of that collection. */
let sinceCollection = { clicks: 0, storingMs: 0 };
let lastCollectionMs = 0;

/** Work that the main process may abort; for an export, also the length of its file. */
type Abortable = { controller: AbortController; length: Promise<number> | undefined };

/**
 * The running work, by the ids that the main process chooses; it also limits their number. An export stays here until the
 * main process aborts it.
 */
const abortable = new Map<string, Abortable>();

/** The copies of the store, at most one at a time, until awaitCopy returns their result. */
const copies = new Map<string, Promise<WrittenCopy>>();

serveSubprocess<PipelineCalls>(niceness, {
  async start(settings) {
    opened.resolve(await openClickStore(settings));
    return undefined;
  },
  ...forEachStoreCall<StoreHandlers>((name, { kind }) => {
    const run = kind === "read" ? read : write;
    return (argument) => run((store): Promise<unknown> => store[name](argument));
  }),
  async ingest({ spool, purges }) {
    const waitedBefore = coreWaitMs();
    const startedAt = performance.now();
    const store = await opened.promise;
    const { cursor, insert } = store;
    const fatalOnError = {
      ...store,
      cursor: (spoolId: string) => orFatal(store, cursor(spoolId)),
      insert: (...batch: Parameters<typeof insert>) => orFatal(store, insert(...batch)),
    };
    const step = await ingest(fatalOnError, spool, purges);
    sinceCollection.clicks += step.stored;
    sinceCollection.storingMs += performance.now() - startedAt;
    collectGarbage();
    return { ...step, waitedMs: coreWaitMs() - waitedBefore };
  },
  async insertSynthetic(plan) {
    // Loaded on demand: it parses dozens of user agents.
    const { insertSynthetic } = await import("./insert-synthetic.ts");
    return await write((store) => insertSynthetic(store, plan));
  },
  async maintain(id) {
    const { controller } = beginWork(id);
    try {
      return await write((store) => store.maintain(controller.signal));
    } finally {
      abortable.delete(id);
    }
  },
  async startExport({ id, request }) {
    const work = beginWork(id);
    try {
      const { length, ...started } = await read((store) => store.exportToFile(request, work.controller.signal));
      work.length = length;
      return started;
    } catch (error) {
      abortable.delete(id);
      throw error;
    }
  },
  async awaitExport(id) {
    const length = abortable.get(id)?.length;
    if (length === undefined) throw new Error("The export was aborted.");
    return await length.catch((error: unknown) => {
      throw namedFailure(error);
    });
  },
  async startCopy({ id, path }) {
    const { controller } = beginWork(id);
    try {
      const { cursors, written } = await read((store) => store.copyTo(path, controller.signal));
      // The caller of awaitCopy gets the failure.
      written.catch(() => {});
      copies.set(id, written);
      return { cursors };
    } catch (error) {
      abortable.delete(id);
      throw error;
    }
  },
  async awaitCopy(id) {
    const written = copies.get(id);
    if (written === undefined) throw new Error("There is no such copy.");
    try {
      return await written;
    } finally {
      copies.delete(id);
      abortable.delete(id);
    }
  },
  async abort(id) {
    abortable.get(id)?.controller.abort(new Error("The main process has aborted the call."));
    abortable.delete(id);
    return undefined;
  },
  async usage() {
    const { user, system } = process.cpuUsage();
    return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / microsecondsPerSecond };
  },
  async close() {
    isClosing = true;
    // Waits for the running batch and aborts queries.
    await (await opened.promise).close();
    return undefined;
  },
});

function collectGarbage(): void {
  const { clicks, storingMs } = sinceCollection;
  if (clicks < clicksBetweenCollections || storingMs < storingPerCollection * lastCollectionMs) return;
  const startedAt = performance.now();
  Bun.gc(true);
  lastCollectionMs = performance.now() - startedAt;
  sinceCollection = { clicks: 0, storingMs: 0 };
}

function beginWork(id: string): Abortable {
  const work: Abortable = { controller: new AbortController(), length: undefined };
  abortable.set(id, work);
  return work;
}

async function read<Result>(call: (store: ServedClickStore) => Promise<Result>): Promise<Result> {
  const store = await opened.promise;
  try {
    return await call(store);
  } catch (error) {
    if (needsReopening(error)) throw fatal(error);
    throw namedFailure(error);
  }
}

/** The failure as the main process recognizes it. */
function namedFailure(error: unknown): unknown {
  return exceedsMemory(error) ? new VerbError("exceedsMemory" satisfies StoreFailure, messageOf(error), error) : error;
}

async function write<Result>(call: (store: ServedClickStore) => Promise<Result>): Promise<Result> {
  const store = await opened.promise;
  return await orFatal(store, call(store));
}

async function orFatal<Result>({ endsWithFailedWrite }: ServedClickStore, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    // A closing store refuses new calls while it may still write its checkpoint.
    if (isClosing || !endsWithFailedWrite) throw error;
    throw fatal(error);
  }
}

function fatal(error: unknown): FatalError {
  return new FatalError(messageOf(error), { cause: error });
}
