import { CallFailure, type Handlers } from "../base/calls.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { Subprocess } from "../base/subprocess.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import { type ClickExport, type ExportFile, exportTimeMaxMs } from "./export.ts";
import type { IngestStep, SpoolLocation } from "./ingest.ts";
import type { Purge } from "./purge.ts";
import type { ClickStore } from "./store.ts";
import { forEachStoreCall, type StoreCallName, type StoreCalls } from "./store-calls.ts";
import type { ClickStoreSettings } from "./stores/open-click-store.ts";
import { streamExport } from "./stream-export.ts";

/** The longest a call may take, unless store-calls.ts says otherwise. A report over all clicks takes far less. */
const callTimeMaxMs = 60 * secondMs;

/**
 * The longest a batch may take. On a machine whose only core is busy with visitors, the process gets a hundredth of it, and
 * a batch takes a minute. A batch that was given up would be read again.
 */
const ingestTimeMaxMs = 10 * minuteMs;

/** A vacuum takes a minute for 4 GB on an idle machine, after the running exports have ended. */
const maintainTimeMaxMs = exportTimeMaxMs + 10 * minuteMs;

/** The longest the owner waits for an export's end. The store's own bound ends the export earlier. */
const exportAwaitMaxMs = exportTimeMaxMs + minuteMs;

/** The longest the metrics wait for the usage of the process. */
const usageTimeMaxMs = secondMs;

/** How the process opens its store. By default, the store aborts a query when its caller stops waiting. */
type PipelineSettings = ClickStoreSettings;

/**
 * Settings of the allocators of the process.
 *
 * 1. jemalloc, which DuckDB uses (https://jemalloc.net/jemalloc.3.html#tuning), returns freed pages to the operating
 *    system after 300 ms, and threads share two arenas. With the defaults, exports beside reports left 100 MiB of freed
 *    pages in the process, which DuckDB's own limit does not count. Without the delay, exact visitors took 30 % longer.
 * 2. malloc of glibc has one arena for all threads. With one for each, exports beside reports took 40 to 60 MiB more,
 *    and reports were not faster.
 */
const allocatorEnvironment = {
  DUCKDB_JE_MALLOC_CONF: "dirty_decay_ms:300,muzzy_decay_ms:0,narenas:2",
  MALLOC_ARENA_MAX: "1",
};

/** The memory and processor time of the process. */
type ProcessUsage = { residentBytes: number; cpuSeconds: number };

/**
 * TABLE of the calls that the process answers. The owner chooses the id of a call that `abort` may end; an export keeps its
 * file until then.
 */
export type PipelineCalls = StoreCalls & {
  start: { argument: PipelineSettings; result: undefined };
  ingest: { argument: { spool: SpoolLocation; purges: readonly Purge[] }; result: IngestStep };
  maintain: { argument: string; result: boolean };
  startExport: { argument: { id: string; order: ClickExport }; result: Omit<ExportFile, "length"> };
  /** Returns the length of the file when it is complete. */
  awaitExport: { argument: string; result: number };
  abort: { argument: string; result: undefined };
  usage: { argument: undefined; result: ProcessUsage };
  close: { argument: undefined; result: undefined };
};

/** The process's side of the forwarded calls. */
export type StoreHandlers = Pick<Handlers<PipelineCalls>, StoreCallName>;

/**
 * The click store, and the spool reader that fills it, in a separate process. No other process opens the store.
 * Every call throws Problem "unavailable" while the store cannot be used; a later call starts the process again.
 */
export type Pipeline = Pick<ClickStore, StoreCallName | "export" | "maintain"> & {
  /** Moves the next batch from the spool to the store; see ingest.ts. */
  ingest(spool: SpoolLocation, purges?: readonly Purge[]): Promise<IngestStep>;
  /** How many times the process was started again. */
  restarts(): number;
  /** The usage of the process; undefined when none runs, or when it does not answer soon. */
  usage(): Promise<ProcessUsage | undefined>;
  /** Closes the store and ends the process; resolves when the process is gone. */
  close(): Promise<void>;
};

/** The number of dropped clicks, and the time of the first one in milliseconds; undefined when none were dropped. */
type ReadDropped = () => { clicks: number; since: number } | undefined;

/** The log, a callback for each crash, and the dropped clicks that the message of a failed call mentions. All optional. */
type PipelineObserver = { log?: Log; onCrash?(): void; dropped?: ReadDropped };

/** Makes a pipeline. Its first call starts the process. */
export function startPipeline(
  settings: PipelineSettings,
  { log, onCrash = () => {}, dropped = () => undefined }: PipelineObserver = {},
): Pipeline {
  const store: StoreProcess = new Subprocess({
    name: "store",
    file: new URL("./pipeline-worker.ts", import.meta.url),
    start: { queryTimeMaxMs: callTimeMaxMs, ...settings },
    environment: allocatorEnvironment,
    callTimeMaxMs,
    log,
    onCrash,
  });
  return {
    ...forEachStoreCall<Pick<ClickStore, StoreCallName>>(
      (name, { timeMaxMs }) =>
        (argument) =>
          orUnavailable(dropped, store.call(name, argument, timeMaxMs)),
    ),
    ingest: (spool, purges = []) => orUnavailable(dropped, store.call("ingest", { spool, purges }, ingestTimeMaxMs)),
    export: (order, signal) =>
      streamExport((...started) => orUnavailable(dropped, exportToFile(store, dropped, ...started)), order, signal),
    maintain: (signal) => orUnavailable(dropped, maintain(store, signal)),
    restarts: () => store.restarts,
    async usage() {
      if (!store.isRunning) return undefined;
      return await store.call("usage", undefined, usageTimeMaxMs).catch(() => undefined);
    },
    close: () => store.close(),
  };
}

type StoreProcess = Subprocess<PipelineCalls>;

async function exportToFile(
  store: StoreProcess,
  dropped: ReadDropped,
  order: ClickExport,
  signal: AbortSignal,
): Promise<ExportFile> {
  signal.throwIfAborted();
  const { id } = abortWith(store, signal);
  const started = await store.call("startExport", { id, order });
  return { ...started, length: orUnavailable(dropped, store.call("awaitExport", id, exportAwaitMaxMs)) };
}

async function maintain(store: StoreProcess, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const { id, unsubscribe } = abortWith(store, signal);
  try {
    return await store.call("maintain", id, maintainTimeMaxMs);
  } finally {
    unsubscribe();
  }
}

/** Returns the id of a call that the process aborts when `signal` is aborted. */
function abortWith(store: StoreProcess, signal: AbortSignal): { id: string; unsubscribe(): void } {
  const id = crypto.randomUUID();
  // If the call fails, the process has ended, and its work with it.
  const abort = () => void store.call("abort", id).catch(() => {});
  signal.addEventListener("abort", abort, { once: true });
  return { id, unsubscribe: () => signal.removeEventListener("abort", abort) };
}

async function orUnavailable<Result>(dropped: ReadDropped, call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    throw new Problem("unavailable", unavailableMessage(dropped()), { cause: error });
  }
}

function unavailableMessage(dropped: ReturnType<ReadDropped>): string {
  const message =
    "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit";
  if (dropped === undefined) return `${message}.`;
  return `${message}; clicks dropped since ${new Date(dropped.since).toISOString()}: ${dropped.clicks}.`;
}
