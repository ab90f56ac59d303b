import { CallFailure, type Handlers } from "../base/calls.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { Subprocess } from "../base/subprocess.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import { type ClickExport, exportTimeMaxMs, type StartedExport } from "./export.ts";
import type { IngestStep, SpoolLocation } from "./ingest.ts";
import type { Purge } from "./purge.ts";
import type { ClickStore } from "./store.ts";
import { forEachStoreCall, type StoreCallName, type StoreCalls } from "./store-calls.ts";
import type { ClickStoreSettings } from "./stores/open-click-store.ts";

/** The longest a call may take, unless store-calls.ts says otherwise. A report over all clicks takes far less. */
const callTimeMaxMs = 60 * secondMs;

/**
 * The longest a batch may take. On a machine whose only core is busy with visitors, the process gets a hundredth of it, and
 * a batch takes a minute. A batch that was given up would be read again.
 */
const ingestTimeMaxMs = 10 * minuteMs;

/** The longest the metrics wait for the usage of the process. */
const usageTimeMaxMs = secondMs;

/** How the process opens its store. By default, the store aborts a query when its caller stops waiting. */
export type PipelineSettings = ClickStoreSettings;

/**
 * Settings of jemalloc, DuckDB's allocator (https://jemalloc.net/jemalloc.3.html#tuning). It returns freed pages to the
 * operating system after 300 ms, and threads share two arenas. With the defaults, exports beside reports left 100 MiB of
 * freed pages in the process, which DuckDB's own limit does not count. Without the delay, exact visitors took 30 % longer.
 */
const allocatorSettings = "dirty_decay_ms:300,muzzy_decay_ms:0,narenas:2";

/** The memory and processor time of the process. */
export type ProcessUsage = { residentBytes: number; cpuSeconds: number };

/** TABLE of the calls that the process answers. */
export type PipelineCalls = StoreCalls & {
  start: { argument: PipelineSettings; result: undefined };
  ingest: { argument: { spool: SpoolLocation; purges: readonly Purge[] }; result: IngestStep };
  /** Starts an export and returns its number of clicks. The owner chooses the id for the two calls below. */
  startExport: { argument: { id: string; order: ClickExport }; result: number };
  /** Returns when the file is complete. */
  awaitExport: { argument: string; result: undefined };
  cancelExport: { argument: string; result: undefined };
  usage: { argument: undefined; result: ProcessUsage };
  close: { argument: undefined; result: undefined };
};

/** The process's side of the forwarded calls. */
export type StoreHandlers = Pick<Handlers<PipelineCalls>, StoreCallName>;

/**
 * The click store, and the spool reader that fills it, in a separate process. No other process opens the store.
 * Every call throws Problem "unavailable" while the store cannot be used; a later call starts the process again.
 */
export type Pipeline = Pick<ClickStore, StoreCallName | "export"> & {
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
export type PipelineObserver = { log?: Log; onCrash?(): void; dropped?: ReadDropped };

/** Makes a pipeline. Its first call starts the process. */
export function startPipeline(
  settings: PipelineSettings,
  { log, onCrash = () => {}, dropped = () => undefined }: PipelineObserver = {},
): Pipeline {
  const store: StoreProcess = new Subprocess({
    name: "store",
    file: new URL("./pipeline-worker.ts", import.meta.url),
    start: { queryTimeMaxMs: callTimeMaxMs, ...settings },
    environment: { DUCKDB_JE_MALLOC_CONF: allocatorSettings },
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
    export: (order, signal) => startExport(store, order, signal, dropped),
    restarts: () => store.restarts,
    async usage() {
      if (!store.isRunning) return undefined;
      return await store.call("usage", undefined, usageTimeMaxMs).catch(() => undefined);
    },
    close: () => store.close(),
  };
}

type StoreProcess = Subprocess<PipelineCalls>;

/** The store's own bound ends an export earlier. */
const exportAwaitMaxMs = exportTimeMaxMs + minuteMs;

async function startExport(
  store: StoreProcess,
  order: ClickExport,
  signal: AbortSignal,
  dropped: ReadDropped,
): Promise<StartedExport> {
  signal.throwIfAborted();
  const id = crypto.randomUUID();
  // If the call fails, the process has ended, and its exports with it.
  const cancel = () => void store.call("cancelExport", id).catch(() => {});
  signal.addEventListener("abort", cancel);
  const unsubscribe = () => signal.removeEventListener("abort", cancel);
  try {
    const clicks = await orUnavailable(dropped, store.call("startExport", { id, order }));
    const ended = orUnavailable(dropped, store.call("awaitExport", id, exportAwaitMaxMs));
    ended.then(unsubscribe, unsubscribe);
    return { clicks, ended };
  } catch (error) {
    unsubscribe();
    // A call that took too long may still run in the process.
    cancel();
    throw error;
  }
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
