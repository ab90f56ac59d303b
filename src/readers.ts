/**
 * The readers of the spools, step by step. Whoever takes a step does so beside others, in App.reading, so that both can
 * be held still together.
 */
import type { LiveEvents } from "./analytics/live-events.ts";
import type { Log } from "./base/log.ts";
import type { LossRecord } from "./clicks/lost-clicks.ts";
import type { Pipeline } from "./clicks/pipeline.ts";
import type { Purge } from "./clicks/purge.ts";
import type { Damage } from "./clicks/spool-damage.ts";
import type { Counters } from "./links/counters.ts";
import type { Metrics } from "./metrics.ts";
import type { TrackedSpool } from "./spools.ts";
import type { StoreLosses } from "./store-losses.ts";

/** What the readers work with. */
export type ReaderDeps = {
  pipeline: Pick<Pipeline, "ingest">;
  counters: Pick<Counters, "count">;
  log: Log;
  metrics: Pick<Metrics, "stored" | "damagedBytes" | "damagedClicks">;
  losses: LossRecord;
  storeLosses: Pick<StoreLosses, "reportOlder">;
  now: () => number;
  liveEvents: Pick<LiveEvents, "storeAdvanced">;
  purges: { readonly current: readonly Purge[] };
};

/** What a step of a reader did: whether there was anything for it, and how many bytes lie before it still. */
export type ReaderStep = { hasMoved: boolean; lagBytes: number };
const nothingToRead: ReaderStep = { hasMoved: false, lagBytes: 0 };

/** Moves the next batch of a spool into the store. */
export async function ingestFrom(deps: ReaderDeps, spool: TrackedSpool): Promise<ReaderStep> {
  const extent = spool.extent();
  const { directory, cursors } = spool;
  // Looked at before the store is asked: an idle service does nothing at all.
  if (extent === undefined || cursors.store >= extent.end) return nothingToRead;
  const step = await deps.pipeline.ingest({ spoolId: extent.id, directory }, deps.purges.current);
  const { from, cursor, stored, workspaceIds, missedBytes, unknownClicks, damages } = step;
  for (const damage of damages) reportDamage(deps, directory, damage);
  if (unknownClicks > 0) reportUnknown(deps, directory, unknownClicks);
  const hasMoved = cursor > cursors.store;
  cursors.store = cursor;
  deps.metrics.stored.inc(stored);
  if (cursor > from) deps.liveEvents.storeAdvanced({ spoolId: extent.id, from, to: cursor, workspaceIds });
  // Last, since it fails while the database is away: the store's cursor has moved, so no later step tells of the rest.
  if (missedBytes > 0) await deps.storeLosses.reportOlder(missedBytes);
  return { hasMoved, lagBytes: extent.end - cursor };
}

type ReportDeps = Pick<ReaderDeps, "log" | "metrics" | "losses" | "now">;

function reportDamage({ log, metrics, losses, now }: ReportDeps, directory: string, damage: Damage): void {
  const { fileName, offset, bytes, clicksMax } = damage;
  log.error(
    "A part of the spool is damaged: its checksum is wrong, or it is no frame of clicks. Readers pass over it.",
    { directory, ...damage },
  );
  metrics.damagedBytes.inc(bytes);
  metrics.damagedClicks.inc(clicksMax);
  losses.count("damaged", { clicks: clicksMax, reason: `${bytes} damaged bytes at ${fileName}:${offset}` }, now());
  losses.save();
}

function reportUnknown({ log, metrics, losses, now }: ReportDeps, directory: string, clicks: number): void {
  log.error("Clicks cannot be counted: only damaged parts of the spool say what they name, such as their link.", {
    directory,
    clicks,
  });
  metrics.damagedClicks.inc(clicks);
  losses.count("damaged", { clicks, reason: "values that only damaged bytes held" }, now());
  losses.save();
}

/** Counts the next part of a spool on its links. */
export async function countFrom(deps: ReaderDeps, spool: TrackedSpool): Promise<ReaderStep> {
  const extent = spool.extent();
  const { directory, cursors } = spool;
  if (extent === undefined || cursors.counters >= extent.end) return nothingToRead;
  const cursor = await deps.counters.count({ spoolId: extent.id, directory });
  const hasMoved = cursor > cursors.counters;
  cursors.counters = cursor;
  return { hasMoved, lagBytes: extent.end - cursor };
}
