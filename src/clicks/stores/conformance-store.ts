import { test } from "bun:test";
import type { ClickStore } from "../store.ts";

/** A store with nothing in it, which can be closed and opened again, and thrown away. */
export type TestedStore = {
  store: ClickStore;
  /** Closes the store and opens the same one again. */
  reopen(): Promise<ClickStore>;
  /** Closes the store last opened and removes it. */
  remove(): Promise<void>;
};

/** Makes an empty store of the implementation that is tested. */
export type OpenStore = () => Promise<TestedStore>;

/** The day, and the three days, that random clicks are of. */
export const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
export const days = { from: Date.UTC(2026, 10, 18), to: Date.UTC(2026, 10, 21) };
/** A selection that leaves nothing of a workspace out. */
export const everything = { from: 0, to: Date.UTC(2100, 0), bots: "include", filters: [] } as const;

/** Runs a test with a store of its own. */
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
