import { CallFailure, type Handlers } from "../base/calls.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { Subprocess } from "../base/subprocess.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import { type ClickExport, type ExportFile, exportTimeMaxMs } from "./export.ts";
import type { IngestStep, SpoolLocation } from "./ingest.ts";
import type { GeneratedCounts, SyntheticPlan } from "./insert-synthetic.ts";
import type { Purge } from "./purge.ts";
import type { ClickStore } from "./store.ts";
import { forEachStoreCall, type StoreCallName, type StoreCalls } from "./store-calls.ts";
import { type CopyStore, copyTimeMaxMs, type StoreCopy, type WrittenCopy } from "./store-copy.ts";
import type { ClickStoreSettings } from "./stores/open-click-store.ts";
import { streamExport } from "./stream-export.ts";

/** A step of ingest, and how long it waited for a core, in milliseconds. */
type TimedStep = IngestStep & { waitedMs: number };

/** The default timeout of a call; store-calls.ts lists the exceptions. A report over all clicks takes far less. */
const callTimeMaxMs = 60 * secondMs;

/**
 * The timeout of a batch. On a machine whose only core is busy with visitors, the store process gets a hundredth of the
 * core, and a batch takes a minute. A batch that times out is read again.
 */
const ingestTimeMaxMs = 10 * minuteMs;

/** The timeout of a vacuum. It waits for running exports, and then takes a minute for 4 GB on an idle machine. */
const maintainTimeMaxMs = exportTimeMaxMs + 10 * minuteMs;

/** The timeout of awaitExport, in case the store does not end the export after exportTimeMaxMs. */
const exportAwaitMaxMs = exportTimeMaxMs + minuteMs;

/** The timeout of awaitCopy, in case the store does not end the copy after copyTimeMaxMs. */
const copyAwaitMaxMs = copyTimeMaxMs + minuteMs;

/** The timeout of the usage call, which the metrics wait for. */
const usageTimeMaxMs = secondMs;

/** How long the process has no work before it may end. A new one takes 0.2 s to answer its first call. */
const idleMsUsual = 5 * minuteMs;

/** How the process opens the store. By default, the store aborts a query after callTimeMaxMs, as its caller does. */
type PipelineSettings = ClickStoreSettings;

/**
 * Allocator settings of the store process.
 *
 * 1. jemalloc, which DuckDB uses (https://jemalloc.net/jemalloc.3.html#tuning), returns freed pages to the operating
 *    system after 300 ms, by a thread that engine.ts turns on, and threads share two arenas. With the defaults, exports
 *    that ran during reports left 100 MiB of freed pages in the process, which DuckDB's own limit does not count. With
 *    a delay of 0, reports with exact visitors took 30 % longer.
 * 2. glibc's malloc has one arena for all threads. With one arena per thread, exports that ran during reports took 40
 *    to 60 MiB more, and the reports were not faster.
 * 3. mimalloc, which holds the JavaScript heap, returns freed pages at once: 4 MiB less while clicks are stored, at no
 *    measurable cost.
 */
const allocatorEnvironment = {
  DUCKDB_JE_MALLOC_CONF: "dirty_decay_ms:300,muzzy_decay_ms:0,narenas:2",
  MALLOC_ARENA_MAX: "1",
  MIMALLOC_PURGE_DELAY: "0",
};

/** The memory and processor time of the process. */
type ProcessUsage = { residentBytes: number; cpuSeconds: number };

const noUsage: ProcessUsage = { residentBytes: 0, cpuSeconds: 0 };

/**
 * TABLE of the calls that the store process answers. The main process chooses the id of a call that it may abort;
 * `maintain`, `awaitExport`, `awaitCopy` and `abort` take that id. An export's file exists until the export is aborted.
 */
export type PipelineCalls = StoreCalls & {
  start: { argument: PipelineSettings; result: undefined };
  ingest: { argument: { spool: SpoolLocation; purges: readonly Purge[] }; result: TimedStep };
  insertSynthetic: { argument: SyntheticPlan; result: GeneratedCounts };
  maintain: { argument: string; result: boolean };
  startExport: { argument: { id: string; request: ClickExport }; result: Omit<ExportFile, "length"> };
  /** Returns the length of the file when it is complete. */
  awaitExport: { argument: string; result: number };
  startCopy: { argument: { id: string; path: string }; result: Omit<StoreCopy, "written"> };
  /** Returns when the copy is complete. */
  awaitCopy: { argument: string; result: WrittenCopy };
  abort: { argument: string; result: undefined };
  usage: { argument: undefined; result: ProcessUsage };
  close: { argument: undefined; result: undefined };
};

/** A failure that the store process names: the query needs more memory than one may use, and the store works. */
export type StoreFailure = "exceedsMemory";

/** The store process's handlers of the forwarded calls. */
export type StoreHandlers = Pick<Handlers<PipelineCalls>, StoreCallName>;

/**
 * The main process's side of the store process, which alone opens the click store and fills it from the spool.
 * Every call throws Problem "unavailable" while the store cannot be used; a later call starts the process again. A query or
 * export that needs more memory than one may use throws "unprocessable_entity".
 */
export type Pipeline = Pick<ClickStore, StoreCallName | "export" | "maintain"> & {
  /** Moves the next batch from the spool to the store; see ingest.ts. */
  ingest(spool: SpoolLocation, purges?: readonly Purge[]): Promise<TimedStep>;
  /** Stores the clicks of a plan for an example workspace; see insert-synthetic.ts. */
  insertSynthetic(plan: SyntheticPlan): Promise<GeneratedCounts>;
  /** Copies the store into a new file; see CopyStore. */
  copyTo: CopyStore;
  /** How many times the process was restarted. */
  restarts(): number;
  /**
   * Ends the process if it has had no work for `idleMs`, so that its memory is free until the next call. A streamed export
   * and a copy are work until their end; maintenance is none.
   */
  pauseIfIdle(idleMs?: number): Promise<void>;
  /** The usage of the process, none while it has no work and does not run; undefined after a crash and when it does not answer. */
  usage(): Promise<ProcessUsage | undefined>;
  /** Closes the store and ends the process; resolves when the process is gone. */
  close(): Promise<void>;
};

/** The number of dropped clicks, and the time of the first one in milliseconds; undefined when none were dropped. */
type ReadDropped = () => { clicks: number; since: number } | undefined;

/**
 * Optional: a log, callbacks for each start of the process and each crash, and a function that reads the drops for the
 * message of a failed call.
 */
type PipelineObserver = { log?: Log; onStart?(): void; onCrash?(): void; dropped?: ReadDropped };

/** Makes a pipeline. Its first call starts the process. */
export function startPipeline(
  settings: PipelineSettings,
  { log, onStart = () => {}, onCrash = () => {}, dropped: readDropped = () => undefined }: PipelineObserver = {},
): Pipeline {
  const store = new Subprocess<PipelineCalls>({
    name: "store",
    file: new URL("./pipeline-worker.ts", import.meta.url),
    start: { queryTimeMaxMs: callTimeMaxMs, ...settings },
    environment: allocatorEnvironment,
    callTimeMaxMs,
    log,
    onStart,
    onCrash,
  });
  const context = { readDropped, log };
  const activity = new Activity();
  const work = <Result>(call: Promise<Result>) => orProblem(context, activity.during(call));
  return {
    ...forEachStoreCall<Pick<ClickStore, StoreCallName>>(
      (name, { timeMaxMs }) =>
        (argument) =>
          work(store.call(name, argument, timeMaxMs)),
    ),
    ingest: (spool, purges = []) => work(store.call("ingest", { spool, purges }, ingestTimeMaxMs)),
    insertSynthetic: (plan) => work(store.call("insertSynthetic", plan, ingestTimeMaxMs)),
    export: (request, signal) =>
      streamExport(
        async (asked, released) => {
          // Until its file is removed, which the process does.
          activity.until(released);
          return await work(exportToFile(store, context, asked, released));
        },
        request,
        signal,
      ),
    maintain: (signal) => orProblem(context, maintain(store, signal)),
    copyTo: async (path, signal) => {
      const { cursors, written } = await work(copyTo(store, context, path, signal));
      return { cursors, written: activity.during(written) };
    },
    async pauseIfIdle(idleMs = idleMsUsual) {
      if (activity.hasEndedFor(idleMs)) await store.pause();
    },
    restarts: () => store.restarts,
    async usage() {
      if (!store.isRunning) return store.hasFailed ? undefined : noUsage;
      return await store.call("usage", undefined, usageTimeMaxMs).catch(() => undefined);
    },
    close: () => store.close(),
  };
}

type StoreProcess = Subprocess<PipelineCalls>;
type FailureContext = { readDropped: ReadDropped; log: Log | undefined };

async function exportToFile(
  store: StoreProcess,
  context: FailureContext,
  request: ClickExport,
  signal: AbortSignal,
): Promise<ExportFile> {
  signal.throwIfAborted();
  const { id } = abortableCall(store, signal);
  const started = await store.call("startExport", { id, request });
  return { ...started, length: orProblem(context, store.call("awaitExport", id, exportAwaitMaxMs)) };
}

async function copyTo(
  store: StoreProcess,
  context: FailureContext,
  path: string,
  signal: AbortSignal,
): Promise<StoreCopy> {
  signal.throwIfAborted();
  const { id, unsubscribe } = abortableCall(store, signal);
  const { cursors } = await store.call("startCopy", { id, path }).catch((error: unknown) => {
    unsubscribe();
    throw error;
  });
  const written = store.call("awaitCopy", id, copyAwaitMaxMs).finally(unsubscribe);
  return { cursors, written: orProblem(context, written) };
}

async function maintain(store: StoreProcess, signal: AbortSignal): Promise<boolean> {
  // A process that does not run has nothing to do: it ends only after maintenance, and a killed one is soon asked again.
  if (signal.aborted || !store.isRunning) return false;
  const { id, unsubscribe } = abortableCall(store, signal);
  try {
    return await store.call("maintain", id, maintainTimeMaxMs);
  } finally {
    unsubscribe();
  }
}

/** Returns a new id for a call. The store process aborts the call with this id when `signal` is aborted. */
function abortableCall(store: StoreProcess, signal: AbortSignal): { id: string; unsubscribe(): void } {
  const id = crypto.randomUUID();
  // If aborting fails, the process has ended, and the work has ended with it.
  const abort = () => void store.call("abort", id).catch(() => {});
  signal.addEventListener("abort", abort, { once: true });
  return { id, unsubscribe: () => signal.removeEventListener("abort", abort) };
}

/** The work of the process. */
class Activity {
  #running = 0;
  #lastAt = performance.now();

  /** True when no work runs and the last one ended at least `idleMs` ago. */
  hasEndedFor(idleMs: number): boolean {
    return this.#running === 0 && performance.now() - this.#lastAt >= idleMs;
  }

  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#end();
    }
  }

  /** Work that lasts until the signal is aborted. Throws if it is already. */
  until(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#running++;
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  #end(): void {
    this.#running--;
    this.#lastAt = performance.now();
  }
}

async function orProblem<Result>({ readDropped, log }: FailureContext, call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (error.kind === ("exceedsMemory" satisfies StoreFailure)) {
      log?.warn("The click store refused a query that needs more memory than one may use.", { error: error.message });
      throw new Problem("unprocessable_entity", exceedsMemoryMessage, { cause: error });
    }
    throw new Problem("unavailable", unavailableMessage(readDropped()), { cause: error });
  }
}

const exceedsMemoryMessage =
  "The answer needs more memory than the click store may use; choose a shorter interval, add a filter, or group by something with fewer different values.";

function unavailableMessage(dropped: ReturnType<ReadDropped>): string {
  const message =
    "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit";
  if (dropped === undefined) return `${message}.`;
  return `${message}; clicks dropped since ${new Date(dropped.since).toISOString()}: ${dropped.clicks}.`;
}
