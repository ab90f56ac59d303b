import { enrich, isHuman } from "./enrich.ts";
import { type Purge, purgedBy } from "./purge.ts";
import type { FrameClicks } from "./spool-format.ts";
import { readerOf } from "./spool-reader.ts";
import { viewSpool } from "./spool-view.ts";
import type { ClickStore } from "./store.ts";

/** Clicks moved in one step: small enough that a step is over soon, large enough that the store writes whole chunks. */
export const batchClicksMax = 20_000;

/** A spool to read: its id and its folder. */
export type SpoolLocation = { spoolId: string; directory: string };

/**
 * What one step did: the store's cursor before and after it, how many clicks it has stored and of which workspaces.
 * `missedBytes`: see SpoolBatch.
 */
export type IngestStep = {
  from: number;
  cursor: number;
  stored: number;
  workspaceIds: number[];
  missedBytes: number;
};

/**
 * Moves the next batch of clicks from the spool into the store, but for those that were purged.
 * Guarantee: may be interrupted anywhere and repeated; each click is stored once (store.ts, 1 and 2).
 */
export async function ingest(
  store: ClickStore,
  { spoolId, directory }: SpoolLocation,
  purges: readonly Purge[] = [],
): Promise<IngestStep> {
  const cursor = await store.cursor(spoolId);
  const { from, to, clicks: read, missedBytes } = readerOf(directory).read(cursor, batchClicksMax);
  const isPurged = purgedBy(purges);
  const clicks = read.map(enrich).filter(({ linkId, time }) => !isPurged(linkId, time));
  if (to > cursor) await store.insert({ spoolId, from, to }, clicks);
  const workspaceIds = [...new Set(clicks.map(({ workspaceId }) => workspaceId))];
  return { from: cursor, cursor: to, stored: clicks.length, workspaceIds, missedBytes };
}

/** The human clicks of one link in a batch, and the time of the last one. */
export type LinkTally = { linkId: string; clicks: number; lastClicked: number };

/** The links clicked between two positions of the spool, at most tallyLinksMax of them. */
export type Tally = { from: number; to: number; links: LinkTally[] };

/** Links updated in one transaction of the counters, unless one frame has more: 2 ms of SQLite's write lock among 10,000 links, 12 ms among 100,000. */
export const tallyLinksMax = 500;
/** Clicks folded in one tally. */
const tallyClicksMax = 5_000;

/** Folds what lies behind `position` into the human clicks of each link. Bots are no clicks, nor is what was purged. */
export function tally(directory: string, position: number, purges: readonly Purge[] = []): Tally {
  const { from, to, frames } = readerOf(directory).readFrames(position, tallyClicksMax);
  const isPurged = purgedBy(purges);
  const links = new Map<string, LinkTally>();
  let end = frames.length === 0 ? to : from;
  for (const frame of frames) {
    const found = tallyOf(frame.clicks(), isPurged);
    // A frame that would make the transaction too large begins the next tally.
    if (links.size > 0 && links.size + found.size > tallyLinksMax) break;
    for (const link of found.values()) add(links, link);
    end = frame.to;
  }
  return { from, to: end, links: [...links.values()] };
}

/** A stretch of the spool in a folder, between two positions that readers have stood at. */
export type FolderStretch = { directory: string; from: number; to: number };

/** The human clicks of a stretch by link, in no order; `isWhole` unless the spool has deleted some of it, or never had it. */
export type StretchTally = { links: LinkTally[]; isWhole: boolean };

/**
 * Folds a stretch of a spool into the human clicks of each link, those that are being purged too.
 * Bound: the caller's, who knows the stretch.
 */
export function tallyStretch({ directory, from, to }: FolderStretch): StretchTally {
  const links = new Map<string, LinkTally>();
  const base = viewSpool(directory)?.bases[0];
  let position = from;
  while (position < to) {
    const next = readerOf(directory).readFrames(position, tallyClicksMax);
    const frames = next.frames.filter((frame) => frame.to <= to);
    for (const frame of frames) for (const link of tallyOf(frame.clicks(), purgedBy([])).values()) add(links, link);
    const end = frames.at(-1)?.to ?? (next.frames.length === 0 ? next.to : position);
    if (end <= position) break;
    position = end;
  }
  return { links: [...links.values()], isWhole: base !== undefined && base <= from && position >= to };
}

/** The human clicks of one frame by link, without decoding the rest of them. */
function tallyOf(clicks: FrameClicks, isPurged: ReturnType<typeof purgedBy>): Map<string, LinkTally> {
  const links = new Map<string, LinkTally>();
  for (let index = 0; index < clicks.length; index++) {
    if (!isHuman({ bot: clicks.bot(index), agent: clicks.agent(index) })) continue;
    const { linkId } = clicks.target(index);
    const lastClicked = clicks.time(index);
    if (!isPurged(linkId, lastClicked)) add(links, { linkId, clicks: 1, lastClicked });
  }
  return links;
}

function add(links: Map<string, LinkTally>, { linkId, clicks, lastClicked }: LinkTally): void {
  const link = links.get(linkId);
  if (link === undefined) {
    links.set(linkId, { linkId, clicks, lastClicked });
  } else {
    link.clicks += clicks;
    link.lastClicked = Math.max(link.lastClicked, lastClicked);
  }
}
