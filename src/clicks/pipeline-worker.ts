/**
 * The thread that owns the click store and reads the spool, so that parsing, enriching and appending never delay a
 * redirect. It yields the processor: on a machine whose only core is busy with visitors, clicks wait in the spool.
 */
import { serveThread } from "../base/thread.ts";
import { ingest } from "./ingest.ts";
import { type KeptStore, keepStore } from "./kept-store.ts";
import type { PipelineSettings, PipelineVerbs } from "./pipeline.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb.ts";

/** The lowest priority there is; readers of reports wait a little longer under full load, visitors never. */
const niceness = 19;

let kept: KeptStore | undefined;

serveThread<PipelineVerbs>(niceness, {
  async start(settings: PipelineSettings) {
    kept = keepStore(() => openDuckDbStore(settings));
    return undefined;
  },
  cursor: (spoolId) => withStore((store) => store.cursor(spoolId)),
  ingest: (spool) => withStore((store) => ingest(store, spool)),
  query: (query) => withStore((store) => store.query(query)),
  lastClicks: (asked) => withStore((store) => store.lastClicks(asked)),
  page: (page) => withStore((store) => store.page(page)),
  async erase(workspaceId) {
    await withStore((store) => store.erase({ workspaceId }));
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
  return await kept.use(work);
}
