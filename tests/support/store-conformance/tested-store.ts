import { test } from "bun:test";
import type { ClickStore } from "../../../src/clicks/store.ts";

/** An empty store that a test can reopen and remove. */
export type TestedStore = {
  store: ClickStore;
  /** Closes the store and opens the same one again. */
  reopen(): Promise<ClickStore>;
  /** Closes the open store and removes it. */
  remove(): Promise<void>;
};

/**
 * What engines do differently: whether the engine keeps a rollup of stored clicks itself, which recountRollup compares
 * with them. ClickHouse counts the clicks, so it has none.
 */
export type EngineTraits = { keepsRollup: boolean };

/** Opens an empty store of the engine under test. */
export type OpenStore = () => Promise<TestedStore>;

/** The time ranges of random clicks: one day, and three days. */
export const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
export const days = { from: Date.UTC(2026, 10, 18), to: Date.UTC(2026, 10, 21) };
/** A selection of all clicks of a workspace. */
export const everything = { from: 0, to: Date.UTC(2100, 0), bots: "include", filters: [] } as const;

/** A signal that is never aborted. */
export const neverAborted = new AbortController().signal;

/** Runs a test with a new store. */
export function storeTest(name: string, open: OpenStore, run: (tested: TestedStore) => Promise<void>): void {
  test(name, async () => {
    const tested = await open();
    try {
      await run(tested);
    } finally {
      await tested.remove();
    }
  });
}
