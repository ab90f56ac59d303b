/**
 * The thread that owns the click store and reads the spool, so that parsing, enriching and appending never delay a
 * redirect. It yields the processor: on a machine whose only core is busy with visitors, clicks wait in the spool.
 */
import { stepPoolBack } from "../base/pool-priority.ts";
import { serveThread } from "../base/thread.ts";
import { ingest } from "./ingest.ts";
import { type KeptStore, keepStore } from "./kept-store.ts";
import type { PipelineSettings, PipelineVerbs } from "./pipeline.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb.ts";

/** The lowest priority there is; readers of reports wait a little longer under full load, visitors never. */
const niceness = 19;

/** Of the pool, in which files are read and synced as well: behind the visitors, as the counters are. */
const poolNiceness = 15;

let kept: KeptStore | undefined;

/** Exports under way, by the ids that the owner gives them; its bound is the owner's. */
const exports = new Map<string, { ending: AbortController; ended: Promise<void> | undefined }>();

serveThread<PipelineVerbs>(niceness, {
  async start(settings: PipelineSettings) {
    kept = keepStore(() => openDuckDbStore(settings));
    return undefined;
  },
  cursor: (spoolId) => withStore((store) => store.cursor(spoolId)),
  ingest: ({ spool, purges }) => withStore((store) => ingest(store, spool, purges)),
  query: (query) => withStore((store) => store.query(query)),
  firstClick: (workspaceId) => withStore((store) => store.firstClick(workspaceId)),
  lastClicks: (asked) => withStore((store) => store.lastClicks(asked)),
  page: (page) => withStore((store) => store.page(page)),
  arrived: (asked) => withStore((store) => store.arrived(asked)),
  async beginExport({ id, order }) {
    const ending = new AbortController();
    exports.set(id, { ending, ended: undefined });
    try {
      const { clicks, ended } = await withStore((store) => store.export(order, ending.signal));
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
  linkCounts: (page) => withStore((store) => store.linkCounts(page)),
  recountSlots: (order) => withStore((store) => store.recountSlots(order)),
  async erase(scope) {
    await withStore((store) => store.erase(scope));
    return undefined;
  },
  async expire(scope) {
    await withStore((store) => store.expire(scope));
    return undefined;
  },
  rewrite: () => withStore((store) => store.rewrite()),
  async stopRewrite() {
    await withStore((store) => store.stopRewrite());
    return undefined;
  },
  async close() {
    // The batch under way is waited for, queries are ended, and nothing opens a store again.
    await kept?.close();
    return undefined;
  },
});

async function withStore<Result>(work: (store: ClickStore) => Promise<Result>): Promise<Result> {
  if (kept === undefined) throw new Error("The pipeline is not open.");
  stepPoolBackSoon();
  return await kept.use(work);
}

/** A first query of the pool's runs for so long before it steps back; then the pool is looked at no more often. */
const poolLookMs = 20;
const poolLookEveryMs = 1_000;
let lookedAtPool = Number.NEGATIVE_INFINITY;

/** DuckDB answers queries in the process's pool, which is begun by whoever needs it first, and with their priority. */
function stepPoolBackSoon(): void {
  const now = performance.now();
  if (now - lookedAtPool < poolLookEveryMs) return;
  lookedAtPool = now;
  setTimeout(() => stepPoolBack(poolNiceness), poolLookMs);
}
