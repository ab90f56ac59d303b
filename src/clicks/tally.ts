/**
 * Folds clicks into the number of clicks per link, for the links' counters.
 *
 * Links fall into partitions by their ids, and each partition has its own cursor. Many clicks are folded together,
 * which gives a busy link one update, and are applied in short transactions, each for some of the partitions.
 */
import { isHuman } from "./enrich.ts";
import { type Purge, purgedBy } from "./purge.ts";
import type { FrameClicks } from "./spool-format.ts";
import { readerOf } from "./spool-reader.ts";
import { viewSpool } from "./spool-view.ts";

/** The number of partitions. Cursors are stored per partition: another number would count some clicks twice. */
export const partitionCount = 64;
/** Clicks folded into one tally: 7 MB of the spool, about 30 ms. */
const tallyClicksMax = 150_000;
/** Links of a tally, not counting new ones in its last frame: about 250 per partition. */
export const tallyLinksMax = 16_000;

/** The human clicks of one link, and the time of the last one. */
export type LinkTally = { linkId: string; clicks: number; lastClicked: number };

/** The links of one partition that were clicked after `from`. */
export type PartitionTally = { partition: number; from: number; links: LinkTally[] };

/** The links clicked before `to`, for each partition from its own position on. Partitions at `to` are left out. */
export type Tally = { to: number; partitions: PartitionTally[] };

/** The partition of a link, from 0 on; it never changes. */
export function partitionOf(linkId: string): number {
  return Bun.hash.crc32(linkId) % partitionCount;
}

/** Settings of `tally`: purges whose clicks are left out, and a pause between frames, each of a few thousand clicks. */
type TallyOptions = { purges?: readonly Purge[]; pause?: () => Promise<void> };

/**
 * Folds the clicks after the positions of the partitions into the human clicks of each link, without purged clicks.
 * `positions` has one position for each partition. Other calls may read the folder during the pauses, since a call goes on
 * after its caller has given up.
 */
export async function tally(
  directory: string,
  positions: readonly number[],
  { purges = [], pause }: TallyOptions = {},
): Promise<Tally> {
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
    await pause?.();
  }
  return tallyByPartition(positions, end, [...links.values()]);
}

/** The positions of all partitions when they are the same; 0 in an unread spool. */
export function allPartitionsAt(position: number): number[] {
  return Array.from({ length: partitionCount }, () => position);
}

/** Sorts links into their partitions. Partitions at or after `to` are left out. */
export function tallyByPartition(positions: readonly number[], to: number, links: readonly LinkTally[]): Tally {
  const partitions = positions.map((from, partition): PartitionTally => ({ partition, from, links: [] }));
  for (const link of links) partitions[partitionOf(link.linkId)]?.links.push(link);
  return { to, partitions: partitions.filter(({ from }) => from < to) };
}

/** A range of the spool in a folder, between two positions that were cursors of readers. */
export type SpoolRange = { directory: string; from: number; to: number };

/**
 * The human clicks of a range by link, in no order. `isWhole` is false if the spool no longer has, or never had, a part
 * of the range.
 */
export type RangeTally = { links: LinkTally[]; isWhole: boolean };

/**
 * Folds a range of a spool into the human clicks of each link, including clicks that are being purged. The caller
 * bounds the range.
 */
export function tallyRange({ directory, from, to }: SpoolRange): RangeTally {
  const links = new Map<string, LinkTally>();
  const base = viewSpool(directory)?.bases[0];
  let position = from;
  while (position < to) {
    const next = readerOf(directory).readFrames(position, tallyClicksMax);
    const frames = next.frames.filter((frame) => frame.to <= to);
    for (const frame of frames) foldFrame(frame.clicks(), links, () => false);
    // When all frames begin after the range, a jump between segments or damage was at its end.
    const end = frames.at(-1)?.to ?? Math.min(next.frames[0]?.from ?? next.to, to);
    if (end <= position) break;
    position = end;
  }
  return { links: [...links.values()], isWhole: base !== undefined && base <= from && position >= to };
}

/** Adds the human clicks of a frame that are not excluded, and decodes only the fields that this needs. */
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
