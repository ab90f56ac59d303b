import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDuckDbStore } from "../src/clicks/stores/duckdb/duckdb-store.ts";
import { testAgreement } from "./support/agreement/agreement.ts";

/** So small that every level of the store has clicks. */
const levelBounds = { level0: 700, level1: 2_500 };
/** So low that the store counts visitors in parts for some questions, and in one step for others. */
const visitorBounds = { withTexts: 400, asKeys: 1_000 };
/** So low that the store groups some texts by fingerprints. */
const fewTextsMax = 50;

testAgreement(async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-agreement-"));
  const bounds = { levelBounds, visitorBounds, fewTextsMax };
  const store = await openDuckDbStore({ path: join(folder, "clicks.duckdb"), threads: 1, ...bounds });
  return {
    store,
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
