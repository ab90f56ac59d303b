/**
 * Inserts batches of clicks into the DuckDB file that the first argument names, until the process is killed, and prints
 * the number of each stored batch. Batch n covers positions n to n + 1 of its spool, and its clicks have the key n.
 */
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { randomClicks, seededRandom } from "./clicks.ts";

const path = process.argv[2];
if (path === undefined) throw new Error("Name the file.");

// The levels are so small that the process may be killed while the store moves rows between them.
const store = await openDuckDbStore({ path, threads: 1, levelBounds: { level0: 12_000, level1: 30_000 } });
const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
// A batch takes several chunks of the appender, so that the process may be killed between two of them.
const batchClicks = 5_000;
const clicks = randomClicks(seededRandom(1), batchClicks, time, { workspaceId: 1 });
for (let batch = await store.cursor("spool_a"); ; batch++) {
  const rows = clicks.map((click) => ({ ...click, key: String(batch) }));
  await store.insert({ spoolId: "spool_a", from: batch, to: batch + 1 }, rows);
  process.stdout.write(`${batch}\n`);
}
