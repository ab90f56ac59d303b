import { enrich } from "./enrich.ts";
import { type Purge, purgedBy } from "./purge.ts";
import { type Damage, saveDamage } from "./spool-damage.ts";
import { readerOf } from "./spool-reader.ts";
import type { ClickStore, LogRange } from "./store.ts";

/** The id and folder of a spool to read. */
export type SpoolLocation = { spoolId: string; directory: string };

/** A range of a spool that a step stored, and the workspaces of its clicks; "any" when they are too many to name. */
export type StoredRange = LogRange & { workspaceIds: readonly number[] | "any" };

/**
 * The result of a step: the store's cursor before and after it, the number of clicks stored, and their workspaces. See
 * SpoolBatch for `missedBytes` and `unknownClicks`.
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
 * Moves the next batch of clicks from the spool into the store, except purged clicks.
 * Guarantee: may be interrupted anywhere and repeated; each click is stored once (store.ts, 1 and 2).
 */
export async function ingest(
  store: ClickStore,
  { spoolId, directory }: SpoolLocation,
  purges: readonly Purge[] = [],
): Promise<IngestStep> {
  const cursor = await store.cursor(spoolId);
  const open = await store.openBatch(spoolId);
  const batch = readerOf(directory).read(open?.from ?? cursor, store.batchClicksMax, open?.to);
  const { from, to, clicks: read, missedBytes, unknownClicks } = batch;
  const isPurged = purgedBy(purges);
  const clicks = read.map(enrich).filter(({ linkId, time }) => !isPurged(linkId, time));
  // Saved before the cursor moves: afterwards the segment may be deleted.
  const damages = batch.gaps.map((gap) => saveDamage(directory, gap));
  if (to > cursor) await store.insert({ spoolId, from, to }, clicks);
  const workspaceIds = [...new Set(clicks.map(({ workspaceId }) => workspaceId))];
  return { from: cursor, cursor: to, stored: clicks.length, workspaceIds, missedBytes, unknownClicks, damages };
}
