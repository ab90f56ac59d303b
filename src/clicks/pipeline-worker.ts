/**
 * The thread that owns the click store and reads the spool, so that parsing, enriching and appending never delay a
 * redirect.
 *
 * 1. The store is opened by the first call that needs it.
 * 2. After a failed write it is given up, and a later call opens a new one: so a store that was locked, full or
 *    invalidated is tried afresh. It is closed when the last call that uses it has ended.
 */
import { ingest, tally } from "./ingest.ts";
import type { PipelineCall, PipelineReply, PipelineSettings } from "./pipeline.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb.ts";

declare const self: Worker;

/** A store being used by `uses` calls. */
type Lease = { store: Promise<ClickStore>; uses: number; isGivenUp: boolean };

let settings: PipelineSettings | undefined;
let lease: Lease | undefined;

self.onmessage = async ({ data }: MessageEvent<PipelineCall>) => {
  postMessage(await reply(data));
};

async function reply(call: PipelineCall): Promise<PipelineReply> {
  try {
    return { id: call.id, kind: "done", result: await run(call) };
  } catch (error) {
    return { id: call.id, kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

async function run(call: PipelineCall): Promise<unknown> {
  switch (call.verb) {
    case "start":
      settings = call.argument;
      return undefined;
    case "cursor":
      return await withStore((store) => store.cursor(call.argument));
    case "ingest":
      return await withStore(async (store) => {
        try {
          return await ingest(store, call.argument);
        } catch (error) {
          giveUp();
          throw error;
        }
      });
    case "tally":
      return tally(call.argument.directory, call.argument.position);
    case "query":
      return await withStore((store) => store.query(call.argument));
    case "close":
      return await closeStore();
  }
}

async function withStore<Result>(use: (store: ClickStore) => Promise<Result>): Promise<Result> {
  if (settings === undefined) throw new Error("The pipeline was asked before it was started.");
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

/** For the end of the service: calls still under way use the store until the thread ends. */
async function closeStore(): Promise<void> {
  const last = lease;
  giveUp();
  if (last !== undefined) await closeWhenUnused(last);
}

async function closeWhenUnused(held: Lease): Promise<void> {
  if (!held.isGivenUp || held.uses > 0) return;
  try {
    await (await held.store).close();
  } catch {
    // A store that is given up for its failures may fail to close too; the next one is opened all the same.
  }
}
