/**
 * The thread that owns the click store and reads the spool, so that parsing, enriching and appending never delay a
 * redirect.
 *
 * 0. It yields the processor: on a machine whose only core is busy with visitors, clicks wait in the spool.
 * 1. The store is opened by the first call that needs it.
 * 2. After a failed write it is given up, and a later call opens a new one: so a store that was locked, full or
 *    invalidated is tried afresh. It is closed when the last call that uses it has ended.
 */
import { serveThread } from "../base/thread.ts";
import { ingest } from "./ingest.ts";
import type { PipelineSettings, PipelineVerbs } from "./pipeline.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb.ts";

/** The lowest priority there is; readers of reports wait a little longer under full load, visitors never. */
const niceness = 19;

/** A store being used by `uses` calls. */
type Lease = { store: Promise<ClickStore>; uses: number; isGivenUp: boolean };

let settings: PipelineSettings | undefined;
let lease: Lease | undefined;

serveThread<PipelineVerbs>(niceness, {
  async start(argument) {
    settings = argument;
    return undefined;
  },
  cursor: (spoolId) => withStore((store) => store.cursor(spoolId)),
  ingest: (spool) =>
    withStore(async (store) => {
      try {
        return await ingest(store, spool);
      } catch (error) {
        giveUp();
        throw error;
      }
    }),
  query: (query) => withStore((store) => store.query(query)),
  async close() {
    await closeStore();
    return undefined;
  },
});

async function withStore<Result>(use: (store: ClickStore) => Promise<Result>): Promise<Result> {
  if (settings === undefined) throw new Error("The pipeline is not open.");
  lease ??= { store: openDuckDbStore(settings), uses: 0, isGivenUp: false };
  const held = lease;
  held.uses++;
  try {
    const store = await openOrGiveUp(held);
    return await use(store);
  } finally {
    held.uses--;
    await closeWhenUnused(held);
  }
}

async function openOrGiveUp(held: Lease): Promise<ClickStore> {
  try {
    return await held.store;
  } catch (error) {
    if (lease === held) lease = undefined;
    throw error;
  }
}

function giveUp(): void {
  if (lease === undefined) return;
  lease.isGivenUp = true;
  lease = undefined;
}

/** For the end of the service: the batch under way is waited for, queries are ended, and nothing opens a store again. */
async function closeStore(): Promise<void> {
  const last = lease;
  lease = undefined;
  settings = undefined;
  if (last !== undefined) await close(last);
}

async function closeWhenUnused(held: Lease): Promise<void> {
  if (held.isGivenUp && held.uses === 0) await close(held);
}

async function close(held: Lease): Promise<void> {
  try {
    await (await held.store).close();
  } catch {
    // A store that is given up for its failures may fail to close too; the next one is opened all the same.
  }
}
