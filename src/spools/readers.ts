/**
 * The readers of the spools. Everything that concerns all readers goes by the table below: their tasks, their lag, the
 * truncation of spools, shutdown and doctor. A new reader is a name in cursors.ts and a row here.
 *
 * A step runs under the shared side of App.readersLock, so that a comparison of links and clicks can stop all readers.
 */
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import type { StoredRange } from "../clicks/ingest.ts";
import type { LossRecord } from "../clicks/lost-clicks.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { Purge } from "../clicks/purge.ts";
import type { Damage } from "../clicks/spool-damage.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { type Counters, countersCursor } from "../links/counters.ts";
import type { Metrics } from "../metrics.ts";
import type { ReaderName } from "./cursors.ts";
import type { StoreLosses } from "./store-losses.ts";
import type { TrackedSpool } from "./tracked-spool.ts";

/** The dependencies of reading a reader's cursor. */
type CursorDeps = { db: Db; pipeline: Pick<Pipeline, "cursor">; log: Log };

/** The dependencies of a reader's step. */
export type ReaderDeps = {
  pipeline: Pick<Pipeline, "ingest">;
  counters: Pick<Counters, "count">;
  log: Log;
  metrics: Pick<Metrics, "stored" | "damagedBytes" | "damagedClicks">;
  losses: LossRecord;
  storeLosses: Pick<StoreLosses, "beforeStoring" | "reportOlder">;
  now: () => number;
  liveEvents: { storeAdvanced(range: StoredRange): void };
  /** Tells the other nodes which range was stored; absent without other nodes. */
  announceStored?: ((range: StoredRange) => Promise<void>) | undefined;
  purges: { readonly current: readonly Purge[] };
};

type StoreConfig = Pick<Config, "WAYPOST_CLICKS_URL" | "WAYPOST_CLICKS_INTERVAL_MS">;

/** The usual pause between steps while no click waits: clicks appear in reports and counters after a fraction of a second. */
const usualEveryMs = 250;

/** The result of a step: whether the cursor moved, the unread bytes, and the wait for a core without a pause. */
type ReaderStep = { hasMoved: boolean; lagBytes: number; waitedMs: number };

/** A reader of the spools: it applies every click once, and keeps its cursor in the transaction of its effects. */
type Reader = {
  /** The name of its background task. */
  taskName: string;
  /** What it cannot work without, and what its steps write to. */
  needs: "store" | "database";
  /** Pause before the next step while no click waits, in milliseconds. */
  everyMs(config: StoreConfig): number;
  /** Pause before the next step while clicks wait, in milliseconds. */
  againMs: number;
  /** What a click is after its step, in the texts of doctor. */
  effect: string;
  /** Reads the stored cursor; undefined while that is impossible, so that redirects can start all the same. */
  cursor(deps: CursorDeps, spoolId: string): Promise<number | undefined>;
  /** Applies the next batch of a spool. With `mayPause`, it may pause while visitors keep the core busy. */
  step(deps: ReaderDeps, spool: TrackedSpool, mayPause?: boolean): Promise<ReaderStep>;
};

/** TABLE of the readers. */
export const spoolReaders: Readonly<Record<ReaderName, Reader>> = {
  store: {
    taskName: "ingest",
    needs: "store",
    everyMs: storeEveryMs,
    againMs: 0,
    effect: "stored",
    cursor: storeCursor,
    step: ingestBatch,
  },
  counters: {
    taskName: "counters",
    needs: "database",
    everyMs: () => usualEveryMs,
    // A pause, so that a change made through the API gets SQLite's write lock in between.
    againMs: 10,
    effect: "counted",
    cursor: ({ db }, spoolId) => countersCursor(db, spoolId),
    step: countBatch,
  },
};

/** ClickHouse merges each insert with others, so it gets fewer and larger ones. */
function storeEveryMs({ WAYPOST_CLICKS_URL: url, WAYPOST_CLICKS_INTERVAL_MS: intervalMs }: StoreConfig): number {
  return url === undefined ? usualEveryMs : intervalMs;
}

const nothingToRead: ReaderStep = { hasMoved: false, lagBytes: 0, waitedMs: 0 };

/** Clicks wait in the spool while the store cannot be opened. */
async function storeCursor({ pipeline, log }: CursorDeps, spoolId: string): Promise<number | undefined> {
  try {
    return await pipeline.cursor(spoolId);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.error("The click store cannot be opened; clicks wait in the spool while it has room.", { error });
    return undefined;
  }
}

/** Moves the next batch of a spool into the store. */
async function ingestBatch(deps: ReaderDeps, spool: TrackedSpool): Promise<ReaderStep> {
  const extent = spool.extent();
  const { directory, cursors } = spool;
  // Checked before calling the store, so that an idle service does no work.
  if (extent === undefined || cursors.store >= extent.end) return nothingToRead;
  await deps.storeLosses.beforeStoring(extent.id, cursors);
  const step = await deps.pipeline.ingest({ spoolId: extent.id, directory }, deps.purges.current);
  const { from, cursor, stored, workspaceIds, missedBytes, unknownClicks, damages, waitedMs } = step;
  for (const damage of damages) reportDamage(deps, directory, damage);
  if (unknownClicks > 0) reportUnknown(deps, directory, unknownClicks);
  const hasMoved = cursor > cursors.store;
  cursors.store = cursor;
  deps.metrics.stored.inc(stored);
  const range = { spoolId: extent.id, from, to: cursor, workspaceIds };
  if (cursor > from) deps.liveEvents.storeAdvanced(range);
  // Last, because it fails while the database is away: the store's cursor has moved, so no later step repeats the rest.
  if (missedBytes > 0) await deps.storeLosses.reportOlder(missedBytes);
  if (stored > 0) await deps.announceStored?.(range);
  return { hasMoved, lagBytes: extent.end - cursor, waitedMs };
}

type ReportDeps = Pick<ReaderDeps, "log" | "metrics" | "losses" | "now">;

function reportDamage({ log, metrics, losses, now }: ReportDeps, directory: string, damage: Damage): void {
  const { fileName, offset, bytes, clicksMax } = damage;
  log.error("A part of the spool is damaged: its checksum is wrong, or it is not a frame of clicks. Readers skip it.", {
    directory,
    ...damage,
  });
  metrics.damagedBytes.inc(bytes);
  metrics.damagedClicks.inc(clicksMax);
  losses.count("damaged", { clicks: clicksMax, reason: `${bytes} damaged bytes at ${fileName}:${offset}` }, now());
  losses.save();
}

function reportUnknown({ log, metrics, losses, now }: ReportDeps, directory: string, clicks: number): void {
  log.error(
    "Clicks cannot be counted: the values that they name, such as their link, were in damaged parts of the spool.",
    {
      directory,
      clicks,
    },
  );
  metrics.damagedClicks.inc(clicks);
  losses.count("damaged", { clicks, reason: "values in damaged bytes" }, now());
  losses.save();
}

/** Adds the next batch of a spool to the counters of its links. */
async function countBatch(deps: ReaderDeps, spool: TrackedSpool, mayPause = false): Promise<ReaderStep> {
  const extent = spool.extent();
  const { directory, cursors } = spool;
  if (extent === undefined || cursors.counters >= extent.end) return nothingToRead;
  const cursor = await deps.counters.count({ spoolId: extent.id, directory, mayPause });
  const hasMoved = cursor > cursors.counters;
  cursors.counters = cursor;
  return { hasMoved, lagBytes: extent.end - cursor, waitedMs: 0 };
}
