/**
 * Folding clicks into what the links' counters add up.
 *
 * Links fall into parts by their ids, and each part has a cursor of its own: so many clicks can be folded at once, in which
 * a link often clicked costs one update, and be applied in short transactions, each of which leaves the rest to the next.
 */
import { isHuman } from "./enrich.ts";
import { type Purge, purgedBy } from "./purge.ts";
import type { FrameClicks } from "./spool-format.ts";
import { readerOf } from "./spool-reader.ts";
import { viewSpool } from "./spool-view.ts";

/** Parts that links fall into. Cursors are kept of each: another number would count what lies between them anew. */
export const partitionCount = 64;
/** Clicks folded at once: 7 MB of the spool, some 30 ms. */
const tallyClicksMax = 150_000;
/** Links of a tally, but for those of its last frame: some 250 of each part. */
export const tallyLinksMax = 16_000;

/** The human clicks of one link, and the time of the last one. */
export type LinkTally = { linkId: string; clicks: number; lastClicked: number };

/** The links of one part clicked behind `from`. */
export type PartitionTally = { part: number; from: number; links: LinkTally[] };

/** The links clicked before `to`, each part's behind the position it stands at; parts that stand at `to` are not named. */
export type Tally = { to: number; parts: PartitionTally[] };

/** The part that a link falls into, from 0 on: always the same. */
export function partitionOf(linkId: string): number {
  return Bun.hash.crc32(linkId) % partitionCount;
}

/**
 * Folds what lies behind the positions of the parts, of which there are tallyParts, into the human clicks of each link.
 * Bots are no clicks, nor is what was purged.
 */
export function tally(directory: string, positions: readonly number[], purges: readonly Purge[] = []): Tally {
  const from = Math.min(...positions);
  const { to, frames } = readerOf(directory).readFrames(from, tallyClicksMax);
  const isPurged = purgedBy(purges);
  const isUniform = positions.every((position) => position === from);
  const links = new Map<string, LinkTally>();
  let end = frames.length === 0 ? to : from;
  for (const frame of frames) {
    if (links.size >= tallyLinksMax) break;
    const isTallied = (linkId: string) => !isUniform && (positions[partitionOf(linkId)] ?? 0) >= frame.to;
    foldFrame(frame.clicks(), links, (linkId, time) => isTallied(linkId) || isPurged(linkId, time));
    end = frame.to;
  }
  return tallyByPartition(positions, end, [...links.values()]);
}

/** Where the parts stand when all of them stand at one position: at 0 in a spool that nobody has read. */
export function allPartitionsAt(position: number): number[] {
  return Array.from({ length: partitionCount }, () => position);
}

/** Sorts links into their parts. Parts that stand at `to`, or beyond it, are left out. */
export function tallyByPartition(positions: readonly number[], to: number, links: readonly LinkTally[]): Tally {
  const parts = positions.map((from, part): PartitionTally => ({ part, from, links: [] }));
  for (const link of links) parts[partitionOf(link.linkId)]?.links.push(link);
  return { to, parts: parts.filter(({ from }) => from < to) };
}

/** A stretch of the spool in a folder, between two positions that readers have stood at. */
export type SpoolRange = { directory: string; from: number; to: number };

/** The human clicks of a stretch by link, in no order; `isWhole` unless the spool has deleted some of it, or never had it. */
export type RangeTally = { links: LinkTally[]; isWhole: boolean };

/**
 * Folds a stretch of a spool into the human clicks of each link, those that are being purged too.
 * Bound: the caller's, who knows the stretch.
 */
export function tallyRange({ directory, from, to }: SpoolRange): RangeTally {
  const links = new Map<string, LinkTally>();
  const base = viewSpool(directory)?.bases[0];
  let position = from;
  while (position < to) {
    const next = readerOf(directory).readFrames(position, tallyClicksMax);
    const frames = next.frames.filter((frame) => frame.to <= to);
    for (const frame of frames) foldFrame(frame.clicks(), links, () => false);
    // Frames that all lie behind the stretch follow a jump between segments, or damage, at its end.
    const end = frames.at(-1)?.to ?? Math.min(next.frames[0]?.from ?? next.to, to);
    if (end <= position) break;
    position = end;
  }
  return { links: [...links.values()], isWhole: base !== undefined && base <= from && position >= to };
}

/** Adds the human clicks of a frame that are not left out, without decoding the rest of them. */
function foldFrame(
  clicks: FrameClicks,
  links: Map<string, LinkTally>,
  isExcluded: (linkId: string, time: number) => boolean,
): void {
  for (let index = 0; index < clicks.length; index++) {
    if (!clicks.isKnown(index)) continue;
    if (!isHuman({ bot: clicks.bot(index), agent: clicks.agent(index) })) continue;
    const { linkId } = clicks.target(index);
    const time = clicks.time(index);
    if (isExcluded(linkId, time)) continue;
    const link = links.get(linkId);
    if (link === undefined) {
      links.set(linkId, { linkId, clicks: 1, lastClicked: time });
    } else {
      link.clicks++;
      if (time > link.lastClicked) link.lastClicked = time;
    }
  }
}
