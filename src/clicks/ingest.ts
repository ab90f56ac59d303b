import { enrich } from "./enrich.ts";
import { type Purge, purgedBy } from "./purge.ts";
import { type Damage, saveDamage } from "./spool-damage.ts";
import { readerOf } from "./spool-reader.ts";
import type { ClickStore, LogRange } from "./store.ts";

/** Clicks moved in one step: small enough that a step is over soon, large enough that the store writes whole chunks. */
export const batchClicksMax = 20_000;

/** A spool to read: its id and its folder. */
export type SpoolLocation = { spoolId: string; directory: string };

/** A range of a spool that a step stored, and the workspaces of its clicks. */
export type StoredRange = LogRange & { workspaceIds: readonly number[] };

/**
 * What one step did: the store's cursor before and after it, how many clicks it has stored and of which workspaces.
 * `missedBytes` and `unknownClicks`: see SpoolBatch.
 */
export type IngestStep = {
  from: number;
  cursor: number;
  stored: number;
  workspaceIds: number[];
  missedBytes: number;
  unknownClicks: number;
  damages: Damage[];
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
  const batch = readerOf(directory).read(cursor, batchClicksMax);
  const { from, to, clicks: read, missedBytes, unknownClicks } = batch;
  const isPurged = purgedBy(purges);
  const clicks = read.map(enrich).filter(({ linkId, time }) => !isPurged(linkId, time));
  // Before the cursor passes them: the segment may be deleted from then on.
  const damages = batch.gaps.map((gap) => saveDamage(directory, gap));
  if (to > cursor) await store.insert({ spoolId, from, to }, clicks);
  const workspaceIds = [...new Set(clicks.map(({ workspaceId }) => workspaceId))];
  return { from: cursor, cursor: to, stored: clicks.length, workspaceIds, missedBytes, unknownClicks, damages };
}
