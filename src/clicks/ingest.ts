import { enrich } from "./enrich.ts";
import { readSpool } from "./spool-reader.ts";
import type { ClickStore } from "./store.ts";

/** Clicks moved in one step: small enough that a step is over soon, large enough that the store writes whole chunks. */
export const batchClicksMax = 20_000;

/** A spool to read: its id and its folder. */
export type SpoolLocation = { spoolId: string; directory: string };

/** What one step did. `missedBytes`: see SpoolBatch. */
export type IngestStep = { cursor: number; stored: number; missedBytes: number };

/**
 * Moves the next batch of clicks from the spool into the store.
 * Guarantee: may be interrupted anywhere and repeated; each click is stored once (store.ts, 1 and 2).
 */
export async function ingest(store: ClickStore, { spoolId, directory }: SpoolLocation): Promise<IngestStep> {
  const cursor = await store.cursor(spoolId);
  const { from, to, clicks, missedBytes } = readSpool(directory, cursor, batchClicksMax);
  if (to > cursor) await store.insert({ spoolId, from, to }, clicks.map(enrich));
  return { cursor: to, stored: clicks.length, missedBytes };
}

/** The human clicks of one link in a batch, and the time of the last one. */
export type LinkTally = { linkId: string; clicks: number; lastClicked: number };

/** The links clicked between two positions of the spool; `linksMax` bounds the batch by reading fewer clicks. */
export type Tally = { from: number; to: number; links: LinkTally[] };

/** Clicks folded in one step, and so the most links that one transaction of the counters touches. */
export const tallyClicksMax = 2_000;

/** Folds the next batch behind `position` into the human clicks of each link. Bots are no clicks. */
export function tally(directory: string, position: number): Tally {
  const { from, to, clicks } = readSpool(directory, position, tallyClicksMax);
  const links = new Map<string, LinkTally>();
  for (const captured of clicks) {
    const { linkId, time, bot } = enrich(captured);
    if (bot !== "") continue;
    const link = links.get(linkId) ?? { linkId, clicks: 0, lastClicked: 0 };
    links.set(linkId, { linkId, clicks: link.clicks + 1, lastClicked: Math.max(link.lastClicked, time) });
  }
  return { from, to, links: [...links.values()] };
}
