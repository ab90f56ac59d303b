/** A click store whose process is killed while it inserts. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClickRow } from "../../src/clicks/query.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { pick, seededRandom } from "../support/clicks.ts";

/** Clicks per batch of insert-clicks.ts. */
const batchClicks = 5_000;
const kills = 3;

describe("a store that is killed during inserts", () => {
  // The child prints each completed batch, and is killed some milliseconds after a random one.
  test("contains every completed batch once, as its cursor says", async () => {
    const folder = mkdtempSync(join(tmpdir(), "waypost-kills-"));
    const path = join(folder, "clicks.duckdb");
    const random = seededRandom(42);
    try {
      for (let kill = 0; kill < kills; kill++) {
        const doneMin = await insertUntilKilled(path, 1 + Math.floor(random() * 6), pick(random, [0, 3, 7, 20, 40]));

        const { cursor, batches } = await readBatches(path);

        const expected = Array.from({ length: cursor }, (_, batch) => ({ value: String(batch), clicks: batchClicks }));
        expect({ kill, batches }).toEqual({ kill, batches: expected });
        expect(cursor).toBeGreaterThanOrEqual(doneMin);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 240_000);
});

/** The number of completed batches that the child printed. */
async function insertUntilKilled(path: string, batches: number, delayMs: number): Promise<number> {
  const script = join(import.meta.dir, "../support/insert-clicks.ts");
  const child = Bun.spawn([process.execPath, script, path], { stdout: "pipe", stderr: "inherit" });
  let output = "";
  const decoder = new TextDecoder();
  let isKilling = false;
  for await (const bytes of child.stdout) {
    output += decoder.decode(bytes, { stream: true });
    if (isKilling || output.split("\n").length <= batches) continue;
    isKilling = true;
    setTimeout(() => child.kill("SIGKILL"), delayMs);
  }
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  const last = output.split("\n").at(-2);
  return Number(last) + 1;
}

async function readBatches(path: string): Promise<{ cursor: number; batches: ClickRow[] }> {
  const store = await openDuckDbStore({ path, threads: 1 });
  try {
    const rows = await store.query({
      ...{ workspaceId: 1, from: 0, to: Date.UTC(2100, 0), bots: "include", filters: [] },
      grouping: { kind: "dimension", dimension: "key", rowsMax: 100_000 },
    });
    const batches = rows.sort((one, other) => Number(one.value) - Number(other.value));
    return { cursor: await store.cursor("spool_a"), batches };
  } finally {
    await store.close();
  }
}
