import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KeptStore, keepStore } from "./kept-store.ts";
import type { ClickQuery } from "./query.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb.ts";

const countAll: ClickQuery = {
  workspaceId: 1,
  from: 0,
  to: Date.UTC(2100, 0),
  bots: "include",
  filters: [],
  grouping: { kind: "count" },
};

let folder = "";
let path = "";
let events: string[] = [];
let kept: KeptStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypost-clicks-"));
  path = join(folder, "clicks.duckdb");
  events = [];
  kept = keepStore(openTold);
});
afterEach(async () => {
  await kept.close();
  rmSync(folder, { recursive: true });
});

/** Opens the store, and says what is opened and closed. */
async function openTold(): Promise<ClickStore> {
  events.push("opened");
  const store = await openDuckDbStore({ path, threads: 1 });
  return {
    ...store,
    async close() {
      await store.close();
      events.push("closed");
    },
  };
}

/** An insert that straddles the cursor, which the store refuses. */
async function failToInsert(): Promise<void> {
  await kept.use((store) => store.insert({ spoolId: "spool", from: 0, to: 10 }, []));
  await expect(kept.use((store) => store.insert({ spoolId: "spool", from: 5, to: 20 }, []))).rejects.toThrow(
    "straddles",
  );
}

test("after a failed insert the next call opens a store when the one before is closed", async () => {
  await failToInsert();

  const cursors = await Promise.all([1, 2].map(() => kept.use((store) => store.cursor("spool"))));

  expect(cursors).toEqual([10, 10]);
  expect(events).toEqual(["opened", "closed", "opened"]);
});

test("after a failed query, and after work that failed by itself, the store stays open", async () => {
  const unanswerable: ClickQuery = { ...countAll, grouping: { kind: "slots", slotMs: 1e30 } };
  await expect(kept.use((store) => store.query(unanswerable))).rejects.toThrow();
  await expect(kept.use(() => Promise.reject(new Error("The spool is damaged.")))).rejects.toThrow("damaged");

  expect(await kept.use((store) => store.cursor("spool"))).toBe(0);
  expect(events).toEqual(["opened"]);
});

test("closed while a store that failed is being closed, it waits for that and opens none", async () => {
  await failToInsert();

  await kept.close();

  expect(events).toEqual(["opened", "closed"]);
  await expect(kept.use((store) => store.cursor("spool"))).rejects.toThrow("closed");
});

// The child's insert fails while queries are under way; then it stores two batches more, and is killed without notice.
test("a batch that was stored after a failure under load is there after a kill", async () => {
  const script = join(import.meta.dir, "../../tests/support/give-up-store.ts");
  const child = Bun.spawn([process.execPath, script, path], { stdout: "pipe", stderr: "inherit" });
  let said = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    said += decoder.decode(bytes, { stream: true });
    if (said.endsWith("\n")) child.kill("SIGKILL");
  }
  await child.exited;

  const [cursor, count] = await kept.use(async (store) => [await store.cursor("spool"), await store.query(countAll)]);

  expect({ said, signal: child.signalCode }).toEqual({ said: '{"openMax":1}\n', signal: "SIGKILL" });
  expect({ cursor, count }).toEqual({ cursor: 4, count: [{ value: 0, clicks: 80_000 }] });
});
