/**
 * The one click store that is open, opened by the first call that needs it, and afresh after a failure.
 *
 * 1. At most one store is open at any time. Two of them on one file overwrite each other's log, which takes back
 *    committed batches and the cursor with them; the engine does not refuse that within one process. So the next one
 *    is opened only when the one before has ended.
 * 2. A store is given up when opening it, its cursor, an insert or a rewrite failed: one that was locked, full or
 *    invalidated is tried afresh. Its queries are interrupted then, so that the next call does not wait for them.
 * 3. A failed query, and a spool that cannot be read, are no failures of the store.
 */
import type { ClickStore } from "./store.ts";

/** See the top of this file. */
export type KeptStore = {
  /** Calls `work` with the open store, opened when none is. Throws what opening and `work` throw. */
  use<Result>(work: (store: ClickStore) => Promise<Result>): Promise<Result>;
  /** Closes the store as ClickStore.close does; `use` refuses from now on. */
  close(): Promise<void>;
};

/** Keeps what `open` opens. */
export function keepStore(open: () => Promise<ClickStore>): KeptStore {
  let current: Promise<ClickStore> | undefined;
  let ended: Promise<void> = Promise.resolve();
  let isClosed = false;

  function giveUp(failed: Promise<ClickStore>): void {
    // Another call may have given it up before.
    if (current !== failed) return;
    current = undefined;
    ended = end(failed);
  }

  async function orGiveUp<Result>(kept: Promise<ClickStore>, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      giveUp(kept);
      throw error;
    }
  }

  return {
    async use(work) {
      if (isClosed) throw new Error("The click store is closed.");
      current ??= ended.then(open);
      const kept = current;
      const store = await orGiveUp(kept, kept);
      return await work({
        ...store,
        cursor: (spoolId) => orGiveUp(kept, store.cursor(spoolId)),
        insert: (batch, rows) => orGiveUp(kept, store.insert(batch, rows)),
        rewrite: () => orGiveUp(kept, store.rewrite()),
      });
    },
    async close() {
      isClosed = true;
      if (current !== undefined) giveUp(current);
      await ended;
    },
  };
}

async function end(given: Promise<ClickStore>): Promise<void> {
  try {
    await (await given).close();
  } catch {
    // A store that is given up for its failures may fail to close too; the next one is opened all the same.
  }
}
