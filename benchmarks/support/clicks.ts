/** Synthetic clicks, like those of `waypost benchmark generate`, inserted while no server has the store open. */

import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { linkProfiles } from "../synthetic/link-profiles.ts";
import { SeededRandom } from "../synthetic/seeded-random.ts";
import { daysTouched, Traffic } from "../synthetic/traffic.ts";
import { destinationOf, keyOf } from "./links.ts";

const seed = 42;
const clicksPerBatch = 20_000;
/** The id of the spool that the clicks are said to come from. */
export const clicksSpoolId = Buffer.from("benchmarkclicks".padEnd(16, ".")).toString("hex");

/** The number of clicks, their time range, and the links of one workspace; links.ts defines the links. */
type Clicks = { count: number; from: number; to: number; links: number; workspaceId: number; domainId: string };

/** Adds the clicks to the store at `path`, which it creates if needed. */
export async function fillClicks(path: string, { count, from, to, links, ...target }: Clicks): Promise<void> {
  const profiles = linkProfiles({ links, workspaces: 1, days: daysTouched(from, to) }, new SeededRandom(seed));
  const noTerms = { utm_source: "", utm_medium: "", utm_campaign: "", utm_term: "", utm_content: "" };
  const traffic = new Traffic({
    ...{ clicks: count, from, to, seed, profiles },
    spoolId: clicksSpoolId,
    links: Array.from({ length: links }, (_, number) => ({
      ...{ ...target, ...noTerms, domain: "localhost", qrShare: 0 },
      linkId: `link_${String(number).padStart(26, "0")}`,
      key: keyOf(number),
      url: destinationOf(number),
    })),
  });
  const store = await openDuckDbStore({ path, threads: 2 });
  try {
    for (const { batch, rows } of traffic.batches(clicksPerBatch)) await store.insert(batch, rows);
  } finally {
    await store.close();
  }
}
