import { Problem } from "../base/problem.ts";
import { Thread, ThreadFailure } from "../base/thread.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Click } from "./click.ts";
import { type BegunExport, type ClickExport, exportTimeMaxMs } from "./export.ts";
import type { IngestStep, SpoolLocation } from "./ingest.ts";
import type { Purge } from "./purge.ts";
import type { ClickPage, ClickQuery, ClickRow, LastClick, LinkClicks } from "./query.ts";
import type { LinkCountPage, LinkCounts, SlotRecount, SlotRecountOrder } from "./recount.ts";
import type { Arrival, ClickStore, EraseScope, ExpireScope } from "./store.ts";
import type { DuckDbOptions } from "./stores/duckdb.ts";

/** The longest a call may take: a report over everything on a slow disk stays far below. */
const callTimeMaxMs = 60 * secondMs;

/**
 * The longest a batch may take. On a machine whose only core is busy with visitors the thread gets a hundredth of it, and
 * a batch a minute; given up, it would have been read for nothing.
 */
const ingestTimeMaxMs = 10 * minuteMs;

/** The longest the clicks of a workspace may take to be added up again: all of them are read, behind the visitors too. */
const recountTimeMaxMs = 10 * minuteMs;

/** The longest a removal may take, which may have to wait for a rewrite. Given up here, it goes on in the thread. */
const removalTimeMaxMs = 10 * minuteMs;

/** The longest a rewrite may take: a minute for 4 GB on an idle machine, once the exports under way have ended. */
const rewriteTimeMaxMs = exportTimeMaxMs + 10 * minuteMs;

/** How the thread opens its store, which ends a query by itself when its call has been given up. */
export type PipelineSettings = DuckDbOptions;

/** TABLE of what the thread does. */
export type PipelineVerbs = {
  start: { argument: PipelineSettings; result: undefined };
  cursor: { argument: string; result: number };
  ingest: { argument: { spool: SpoolLocation; purges: readonly Purge[] }; result: IngestStep };
  query: { argument: ClickQuery; result: ClickRow[] };
  firstClick: { argument: number; result: number | undefined };
  lastClicks: { argument: LinkClicks; result: LastClick[] };
  page: { argument: ClickPage; result: Click[] };
  arrived: { argument: Arrival; result: Click[] };
  /** Begins an export and answers its number of clicks; the two below name it by the same id. */
  beginExport: { argument: { id: string; order: ClickExport }; result: number };
  /** Answers when the file is whole. */
  awaitExport: { argument: string; result: undefined };
  cancelExport: { argument: string; result: undefined };
  linkCounts: { argument: LinkCountPage; result: LinkCounts };
  recountSlots: { argument: SlotRecountOrder; result: SlotRecount };
  erase: { argument: EraseScope; result: undefined };
  expire: { argument: ExpireScope; result: undefined };
  rewrite: { argument: undefined; result: boolean };
  stopRewrite: { argument: undefined; result: undefined };
  close: { argument: undefined; result: undefined };
};

/**
 * The click store and the spool's reader that fills it, in a thread of their own.
 * Every call throws Problem "unavailable" while the store cannot be used; a later call tries it afresh.
 */
export type Pipeline = Omit<ClickStore, "insert" | "close"> & {
  /** Moves the next batch from the spool to the store; see ingest.ts. */
  ingest(spool: SpoolLocation, purges?: readonly Purge[]): Promise<IngestStep>;
  /** Closes the store and ends the thread. */
  close(): Promise<void>;
};

/** Starts the thread. The store is opened by the first call that needs it. */
export function startPipeline(settings: PipelineSettings): Pipeline {
  const file = new URL("./pipeline-worker.ts", import.meta.url);
  const thread = new Thread<PipelineVerbs>(file, callTimeMaxMs, { queryTimeMaxMs: callTimeMaxMs, ...settings });
  return {
    cursor: (spoolId) => orUnavailable(thread.call("cursor", spoolId)),
    ingest: (spool, purges = []) => orUnavailable(thread.call("ingest", { spool, purges }, ingestTimeMaxMs)),
    query: (query) => orUnavailable(thread.call("query", query)),
    firstClick: (workspaceId) => orUnavailable(thread.call("firstClick", workspaceId)),
    lastClicks: (asked) => orUnavailable(thread.call("lastClicks", asked)),
    page: (page) => orUnavailable(thread.call("page", page)),
    arrived: (asked) => orUnavailable(thread.call("arrived", asked)),
    export: (order, signal) => beginExport(thread, order, signal),
    linkCounts: (page) => orUnavailable(thread.call("linkCounts", page)),
    recountSlots: (order) => orUnavailable(thread.call("recountSlots", order, recountTimeMaxMs)),
    erase: (scope) => orUnavailable(thread.call("erase", scope, removalTimeMaxMs)),
    expire: (scope) => orUnavailable(thread.call("expire", scope, removalTimeMaxMs)),
    rewrite: () => orUnavailable(thread.call("rewrite", undefined, rewriteTimeMaxMs)),
    stopRewrite: () => orUnavailable(thread.call("stopRewrite", undefined)),
    async close() {
      try {
        await thread.call("close", undefined);
      } finally {
        thread.terminate();
      }
    },
  };
}

/** Above the bound of the store itself. */
const exportAwaitMaxMs = exportTimeMaxMs + minuteMs;

async function beginExport(
  thread: Thread<PipelineVerbs>,
  order: ClickExport,
  signal: AbortSignal,
): Promise<BegunExport> {
  signal.throwIfAborted();
  const id = crypto.randomUUID();
  // A thread that cannot be told has ended, and what it did with it.
  const cancel = () => void thread.call("cancelExport", id).catch(() => {});
  signal.addEventListener("abort", cancel);
  const forget = () => signal.removeEventListener("abort", cancel);
  try {
    const clicks = await orUnavailable(thread.call("beginExport", { id, order }));
    const ended = orUnavailable(thread.call("awaitExport", id, exportAwaitMaxMs));
    ended.then(forget, forget);
    return { clicks, ended };
  } catch (error) {
    forget();
    // It may have taken too long, and be under way all the same.
    cancel();
    throw error;
  }
}

async function orUnavailable<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ThreadFailure)) throw error;
    const message = "The click store cannot answer at the moment; clicks are kept and will be counted.";
    throw new Problem("unavailable", message, { cause: error });
  }
}
