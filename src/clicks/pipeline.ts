import { CallFailure } from "../base/calls.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { Subprocess } from "../base/subprocess.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Click } from "./click.ts";
import { type ClickExport, exportTimeMaxMs, type StartedExport } from "./export.ts";
import type { IngestStep, SpoolLocation } from "./ingest.ts";
import type { Purge } from "./purge.ts";
import type { ClickPage, ClickQuery, ClickRow, LastClick, LinkSelection } from "./query.ts";
import type { AggregateRecount, AggregateRecountOrder, LinkCountPage, LinkCounts } from "./recount.ts";
import type { AppendedSince, ClickStore, EraseScope, ExpireScope } from "./store.ts";
import type { DuckDbOptions } from "./stores/duckdb/duckdb-store.ts";

/** The longest a call may take: a report over everything on a slow disk stays far below. */
const callTimeMaxMs = 60 * secondMs;

/**
 * The longest a batch may take. On a machine whose only core is busy with visitors the process gets a hundredth of it, and
 * a batch takes a minute; given up, it would have been read for nothing.
 */
const ingestTimeMaxMs = 10 * minuteMs;

/** The longest the clicks of a workspace may take to be added up again: all of them are read, behind the visitors too. */
const recountTimeMaxMs = 10 * minuteMs;

/** The longest a removal may take, which may have to wait for a rewrite. Given up here, it goes on in the process. */
const removalTimeMaxMs = 10 * minuteMs;

/** The longest a rewrite may take: a minute for 4 GB on an idle machine, once the exports under way have ended. */
const vacuumTimeMaxMs = exportTimeMaxMs + 10 * minuteMs;

/** How long the metrics wait for what the process says of itself. */
const usageTimeMaxMs = secondMs;

/** How the process opens its store, which ends a query by itself when its call has been given up. */
export type PipelineSettings = DuckDbOptions;

/**
 * Settings of jemalloc, DuckDB's allocator (https://jemalloc.net/jemalloc.3.html#tuning): freed pages go back to the
 * operating system within a moment, and threads share two arenas. With the defaults, exports beside reports left 100 MiB
 * of freed pages in the process, which DuckDB's own limit does not count. At once, exact visitors took 30 % longer.
 */
const allocatorSettings = "dirty_decay_ms:300,muzzy_decay_ms:0,narenas:2";

/** What the process takes of the machine. */
export type ProcessUsage = { residentBytes: number; cpuSeconds: number };

/** TABLE of what the process does. */
export type PipelineCalls = {
  start: { argument: PipelineSettings; result: undefined };
  storeId: { argument: undefined; result: string };
  cursor: { argument: string; result: number };
  ingest: { argument: { spool: SpoolLocation; purges: readonly Purge[] }; result: IngestStep };
  query: { argument: ClickQuery; result: ClickRow[] };
  firstClick: { argument: number; result: number | undefined };
  lastClicks: { argument: LinkSelection; result: LastClick[] };
  page: { argument: ClickPage; result: Click[] };
  appendedSince: { argument: AppendedSince; result: Click[] };
  /** Begins an export and answers its number of clicks; the two below name it by the same id. */
  startExport: { argument: { id: string; order: ClickExport }; result: number };
  /** Answers when the file is whole. */
  awaitExport: { argument: string; result: undefined };
  cancelExport: { argument: string; result: undefined };
  linkCounts: { argument: LinkCountPage; result: LinkCounts };
  recountAggregates: { argument: AggregateRecountOrder; result: AggregateRecount };
  erase: { argument: EraseScope; result: undefined };
  expire: { argument: ExpireScope; result: undefined };
  vacuum: { argument: undefined; result: boolean };
  stopVacuum: { argument: undefined; result: undefined };
  usage: { argument: undefined; result: ProcessUsage };
  close: { argument: undefined; result: undefined };
};

/**
 * The click store and the spool's reader that fills it, in a process apart, the only one that opens the store.
 * Every call throws Problem "unavailable" while the store cannot be used; a later call starts the process again.
 */
export type Pipeline = Omit<ClickStore, "insert" | "close"> & {
  /** Moves the next batch from the spool to the store; see ingest.ts. */
  ingest(spool: SpoolLocation, purges?: readonly Purge[]): Promise<IngestStep>;
  /** Times the process was started after a death. */
  restarts(): number;
  /** What the process takes of the machine; undefined while none runs, or when it does not answer soon. */
  usage(): Promise<ProcessUsage | undefined>;
  /** Closes the store and ends the process; resolves when it is gone. */
  close(): Promise<void>;
};

/** What is known of dropped clicks: how many there are, and since when in milliseconds; undefined for none. */
type ReadDropped = () => { clicks: number; since: number } | undefined;

/** Who is told about the process, and what a failed call is told about dropped clicks; all may be left out. */
export type PipelineObserver = { log?: Log; onCrash?(): void; dropped?: ReadDropped };

/** The store's process, started by the first call. */
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
    storeId: () => orUnavailable(dropped, store.call("storeId", undefined)),
    cursor: (spoolId) => orUnavailable(dropped, store.call("cursor", spoolId)),
    ingest: (spool, purges = []) => orUnavailable(dropped, store.call("ingest", { spool, purges }, ingestTimeMaxMs)),
    query: (query) => orUnavailable(dropped, store.call("query", query)),
    firstClick: (workspaceId) => orUnavailable(dropped, store.call("firstClick", workspaceId)),
    lastClicks: (asked) => orUnavailable(dropped, store.call("lastClicks", asked)),
    page: (page) => orUnavailable(dropped, store.call("page", page)),
    appendedSince: (asked) => orUnavailable(dropped, store.call("appendedSince", asked)),
    export: (order, signal) => startExport(store, order, signal, dropped),
    linkCounts: (page) => orUnavailable(dropped, store.call("linkCounts", page)),
    recountAggregates: (order) => orUnavailable(dropped, store.call("recountAggregates", order, recountTimeMaxMs)),
    erase: (scope) => orUnavailable(dropped, store.call("erase", scope, removalTimeMaxMs)),
    expire: (scope) => orUnavailable(dropped, store.call("expire", scope, removalTimeMaxMs)),
    vacuum: () => orUnavailable(dropped, store.call("vacuum", undefined, vacuumTimeMaxMs)),
    stopVacuum: () => orUnavailable(dropped, store.call("stopVacuum", undefined)),
    restarts: () => store.restarts,
    async usage() {
      if (!store.isRunning) return undefined;
      return await store.call("usage", undefined, usageTimeMaxMs).catch(() => undefined);
    },
    close: () => store.close(),
  };
}

type StoreProcess = Subprocess<PipelineCalls>;

/** Above the bound of the store itself. */
const exportAwaitMaxMs = exportTimeMaxMs + minuteMs;

async function startExport(
  store: StoreProcess,
  order: ClickExport,
  signal: AbortSignal,
  dropped: ReadDropped,
): Promise<StartedExport> {
  signal.throwIfAborted();
  const id = crypto.randomUUID();
  // A process that cannot be told has ended, and its exports with it.
  const cancel = () => void store.call("cancelExport", id).catch(() => {});
  signal.addEventListener("abort", cancel);
  const forget = () => signal.removeEventListener("abort", cancel);
  try {
    const clicks = await orUnavailable(dropped, store.call("startExport", { id, order }));
    const ended = orUnavailable(dropped, store.call("awaitExport", id, exportAwaitMaxMs));
    ended.then(forget, forget);
    return { clicks, ended };
  } catch (error) {
    forget();
    // It may have taken too long, and be under way all the same.
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
    "The click store cannot answer at the moment. Links redirect, and new clicks wait while there is room";
  if (dropped === undefined) return `${message}.`;
  return `${message}; clicks dropped since ${new Date(dropped.since).toISOString()}: ${dropped.clicks}.`;
}
