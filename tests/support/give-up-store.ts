/**
 * A process whose store fails while it answers queries, and which stores a batch afterwards. Prints how many stores
 * were open at once, then waits to be killed. Arguments: the store's path.
 */
import { keepStore } from "../../src/clicks/kept-store.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb.ts";
import { randomClicks, seededRandom } from "./clicks.ts";

const batchClicks = 20_000;
const spoolId = "spool";
const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };

const path = process.argv[2] ?? "";
let open = 0;
let openMax = 0;
const kept = keepStore(async () => {
  openMax = Math.max(openMax, ++open);
  const store = await openDuckDbStore({ path, threads: 1 });
  return {
    ...store,
    async close() {
      await store.close();
      open--;
    },
  };
});

function insert(batch: number): Promise<void> {
  const rows = randomClicks(seededRandom(batch), batchClicks, time, { workspaceId: 1 });
  return kept.use((store) => store.insert({ spoolId, from: batch, to: batch + 1 }, rows));
}

await insert(0);
await insert(1);
const queries = Array.from({ length: 200 }, () =>
  kept.use((store) =>
    store.query({
      workspaceId: 1,
      from: 0,
      to: Date.UTC(2100, 0),
      bots: "include",
      filters: [],
      grouping: { kind: "dimension", dimension: "refererUrl", rowsMax: 100 },
    }),
  ),
);
const answered = Promise.allSettled(queries);
// It straddles the cursor, which the store refuses.
const refused = await kept.use((store) => store.insert({ spoolId, from: 1, to: 9 }, [])).catch((error: Error) => error);
if (!(refused instanceof Error)) throw new Error("The insert was to fail.");
await insert(2);
await answered;
await insert(3);
console.log(JSON.stringify({ openMax }));
setInterval(() => {}, 60_000);
