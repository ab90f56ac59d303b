import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import {
  describeClickStore,
  describeMovedClicks,
  describeVisitorCounts,
} from "../../../../tests/support/store-conformance/conformance.ts";
import { neverAborted, type TestedStore } from "../../../../tests/support/store-conformance/tested-store.ts";
import type { ClickQuery } from "../../query.ts";
import { type DuckDbOptions, openDuckDbStore } from "./duckdb-store.ts";

const batchClicks = 5_000;

function newFile() {
  const folder = mkdtempSync(join(tmpdir(), "waypost-clicks-"));
  return { path: join(folder, "clicks.duckdb"), remove: () => rmSync(folder, { recursive: true }) };
}

async function openTested(settings: Omit<DuckDbOptions, "path" | "threads"> = {}): Promise<TestedStore> {
  const file = newFile();
  const options = { path: file.path, threads: 1, ...settings };
  let store = await openDuckDbStore(options);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openDuckDbStore(options);
      return store;
    },
    async remove() {
      await store.close();
      file.remove();
    },
  };
}

const traits = { keepsRollup: true };

describeClickStore("DuckDB", () => openTested(), traits);
// Levels so small that compactions run all the time, no texts that are few, and memory is released whenever no query runs.
describeMovedClicks(
  "DuckDB with small levels",
  () => openTested({ levelBounds: { level0: 700, level1: 2_000 }, fewTextsMax: 0, idleMs: 1 }),
  traits,
);
// Bounds so low that nearly every query for visitors is counted in partitions.
describeVisitorCounts("DuckDB that counts visitors in partitions", () =>
  openTested({ visitorBounds: { withTexts: 5, asKeys: 600 } }),
);

const firstLink = { workspaceId: 1, after: "", limit: 1 };

test.each([4, 8])("a file whose first writing ended after %d KiB is created at the next opening", async (kib) => {
  const file = newFile();
  const script = `const { openDuckDbStore } = await import(${JSON.stringify(join(import.meta.dir, "duckdb-store.ts"))});
    await openDuckDbStore({ path: ${JSON.stringify(file.path)}, threads: 1 });`;
  const creation = Bun.spawnSync(["sh", "-c", `ulimit -f ${kib * 2}; exec "$0" -e "$1"`, process.execPath, script]);
  expect(creation.success).toBe(false);

  const store = await openDuckDbStore({ path: file.path, threads: 1 });
  expect((await store.linkCounts(firstLink)).links).toEqual([]);
  await store.close();
  file.remove();
});

test("the log of a deleted file is not replayed in the file that follows it", async () => {
  const file = newFile();
  const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
  const former = await openDuckDbStore({ path: file.path, threads: 1 });
  const clicks = randomClicks(seededRandom(1), 10, time, { workspaceId: 1, linkId: "link_one" });
  await former.insert({ spoolId: "spool", from: 0, to: 1 }, clicks);
  const log = readFileSync(`${file.path}.wal`);
  await former.close();
  rmSync(file.path);
  writeFileSync(`${file.path}.wal`, log);

  const store = await openDuckDbStore({ path: file.path, threads: 1 });
  expect(await store.linkCounts(firstLink)).toEqual({ links: [], cursors: {}, upTo: undefined });
  await store.close();
  file.remove();
});

describe("a file after maintain", () => {
  test("contains no byte of erased workspaces and links, nor of expired clicks", async () => {
    const file = newFile();
    const store = await openDuckDbStore({ path: file.path, threads: 1, levelBounds: { level0: 700, level1: 2_000 } });
    const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
    const secret = (name: string) => ({ url: `https://${name}.example/`, city: "" });
    const rows = [
      ...randomClicks(seededRandom(1), 1_000, time, { workspaceId: 1, linkId: "link_kept", ...secret("kept") }),
      ...randomClicks(seededRandom(2), 1_000, time, { workspaceId: 1, linkId: "link_purged", ...secret("purged") }),
      ...randomClicks(seededRandom(3), 1_000, time, { workspaceId: 2, linkId: "link_other", ...secret("other") }),
      ...randomClicks(seededRandom(4), 1_000, time, {
        ...{ workspaceId: 3, linkId: "link_counted", ...secret("expired"), city: "Erstwhile" },
        refererUrl: "https://bygone.example/",
      }),
    ];
    await store.insert({ spoolId: "spool", from: 0, to: 1 }, rows);
    await store.erase({ workspaceId: 1, linkId: "link_purged" });
    await store.erase({ workspaceId: 2 });
    await store.expire({ workspaceId: 3, before: time.to });

    await store.maintain(neverAborted);
    await store.close();

    const bytes = readFileSync(file.path);
    const words = ["kept", "purged", "other", "counted", "expired", "Erstwhile", "bygone"];
    expect(words.filter((word) => bytes.includes(word))).toEqual(["kept", "counted"]);
    expect(readdirSync(dirname(file.path)).sort()).toEqual([
      basename(file.path),
      `${basename(file.path)}.lock`,
      "exports",
    ]);
    expect(readdirSync(join(dirname(file.path), "exports"))).toEqual([]);
    file.remove();
  });
});

describe("a store that releases memory whenever it is idle", () => {
  test("delays neither exports nor queries behind queued inserts", async () => {
    const file = newFile();
    const store = await openDuckDbStore({ path: file.path, threads: 1, idleMs: 1 });
    const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
    const selection = { workspaceId: 1, ...time, bots: "include", filters: [] } as const;
    const rows = randomClicks(seededRandom(1), 3 * batchClicks, time, { workspaceId: 1 });
    let stored = 0;
    const inserts = Array.from({ length: 6 }, async (_, index) => {
      await store.insert({ spoolId: "spool", from: index, to: index + 1 }, rows);
      stored++;
    });

    await inserts[0];
    const exported = store.export({ selection, format: "csv", domains: [] }, neverAborted);
    const answered = store.query({ ...selection, metric: "clicks", grouping: { kind: "count" } });
    await Promise.all([exported, answered]);

    expect(stored).toBeLessThan(inserts.length);
    await Promise.all(inserts);
    await (await exported).length;
    await store.close();
    file.remove();
  });
});

describe("a query that takes too long", () => {
  // Each click has enough labels for the query to take half a minute; the simple query after it takes milliseconds.
  test("is interrupted, and later ones are answered", async () => {
    const file = newFile();
    const store = await openDuckDbStore({ path: file.path, threads: 1, queryTimeMaxMs: 500 });
    const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
    const rows = randomClicks(seededRandom(1), 20_000, time, { workspaceId: 1 });
    await store.insert({ spoolId: "spool", from: 0, to: 1 }, rows);
    const easy: ClickQuery = { workspaceId: 1, ...time, bots: "include", filters: [], grouping: { kind: "count" } };
    const labels = Array.from({ length: 10_000 }, (_, label) => ({ value: "link_a", label: String(label) }));
    const hard: ClickQuery = {
      ...{ ...easy, metric: "visitors" },
      grouping: { kind: "labels", dimension: "linkId", labels, rowsMax: 10 },
    };

    const ended = await store.query(hard).catch((error: Error) => error);
    const answer = await store.query(easy);
    await store.close();
    file.remove();

    expect(ended).toBeInstanceOf(Error);
    expect(String(ended)).toContain("INTERRUPT");
    expect(answer).toEqual([{ value: 0, clicks: 20_000 }]);
  });
});
