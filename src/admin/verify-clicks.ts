/**
 * Compares what is added up of clicks with the clicks themselves, exactly, while clicks come in.
 *
 * 1. The readers of the spools stand still for the time of a page, so that no spool deletes what is needed below and the
 *    comparison ends. Clicks wait in the spool meanwhile; visitors are answered.
 * 2. The store tells a page's counts together with its cursors, of one moment. The counters' reader is moved on until it
 *    is nowhere behind them; what lies between the two is folded from the spool and added to the counts. Going forward
 *    alone: a last click cannot be taken back out of a count.
 * 3. A counter is corrected only while it says what was found (links/correct-counters.ts), so that even a reader that did
 *    not stand still, such as another node's, loses nothing.
 * 4. A spool that is gone was read to its end by both. Where the counters have come further than the store, clicks are
 *    stored elsewhere or lost: the counts are not complete then, and no counter is lowered.
 * 5. Links deleted meanwhile, and clicks of deleted links, are no differences. Links whose clicks are being purged are
 *    passed over: their counters are at 0 before their clicks have left the store.
 */
import { z } from "zod";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { LinkCount } from "../clicks/recount.ts";
import type { RangeTally } from "../clicks/tally.ts";
import type { Db } from "../database/database.ts";
import { addCounts, compareCounters, type StoredCounter } from "../links/compare-counters.ts";
import { allCountersCursors, type CountedTo, correctCounters, readCounters } from "../links/correct-counters.ts";
import type { Counters } from "../links/counters.ts";
import { pendingPurges } from "../links/pending-purges.ts";
import { type ReaderDeps, spoolReaders } from "../spools/readers.ts";
import type { Spools } from "../spools/spools.ts";
import type { TrackedSpool } from "../spools/tracked-spool.ts";

/** Links of a page: their counts are read from all clicks of the workspace at once, some 100 ms of twenty million. */
const linksPerPageMax = 2_000;
/** Of a spool, between the store and the counters, to be folded for a page: a second or two of the counters' thread. */
const gapBytesMax = 8 * 1024 ** 2;
/** For the store to catch up with the counters, before whoever asked is told how far behind it is. */
const catchUpTimeMaxMs = 10 * secondMs;

/** A workspace with clicks to compare, and how many links it has. */
export const VerifiedWorkspace = z.object({ id: z.int(), links: z.int() });

const Counter = z.object({ clicks: z.int(), lastClicked: z.int().nullable() });
const Difference = z.object({ linkId: z.string(), found: Counter, right: Counter, isMended: z.boolean() });

/** What became of a page of links: compared, or not yet, since the store is so many bytes behind the counters. */
export const LinksVerified = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("compared"),
    links: z.int(),
    differences: z.array(Difference),
    isComplete: z.boolean(),
    /** Where the next page begins; null when there is none. */
    next: z.string().nullable(),
  }),
  z.object({ kind: z.literal("behind"), bytes: z.int() }),
]);
export type LinksVerified = z.output<typeof LinksVerified>;

/** A page of links to be compared, those behind the id `after`. */
export type LinksToVerify = { workspaceId: number; after: string; mends: boolean };

/** What the comparison works with. */
export type VerifyDeps = Pick<App, "database" | "readersLock"> &
  ReaderDeps & {
    pipeline: Pick<Pipeline, "linkCounts">;
    counters: Pick<Counters, "tally">;
    spools: Pick<Spools, "all">;
  };

/** The workspaces there are, or the one given. Throws "not_found". */
export async function workspacesToVerify(reads: Db, workspaceId: number | undefined) {
  const all = reads
    .selectFrom("workspaces")
    .leftJoin("links", "links.workspaceId", "workspaces.id")
    .select((select) => ["workspaces.id", select.fn.count<number | string>("links.id").as("links")])
    .where("workspaces.id", "not in", (where) => where.selectFrom("erasures").select("workspaceId"))
    .groupBy("workspaces.id")
    .orderBy("workspaces.id");
  const rows = await (workspaceId === undefined ? all : all.where("workspaces.id", "=", workspaceId)).execute();
  if (workspaceId !== undefined && rows.length === 0) {
    throw new Problem("not_found", `There is no workspace ${workspaceId}.`);
  }
  return rows.map(({ id, links }): z.output<typeof VerifiedWorkspace> => ({ id, links: Number(links) }));
}

/** Compares a page of links' counters with their clicks, and corrects them where asked; see the top of this file. */
export async function verifyLinks(deps: VerifyDeps, page: LinksToVerify): Promise<LinksVerified> {
  return await deps.readersLock.exclusive(async () => {
    const until = performance.now() + catchUpTimeMaxMs;
    for (;;) {
      const read = await readPage(deps, page);
      if (read.kind === "together") return await compare(deps, read, page);
      if (performance.now() >= until) return { kind: "behind", bytes: read.bytes };
      for (const spool of read.behind) await spoolReaders.store.step(deps, spool);
    }
  });
}

type Counts = Map<string, Omit<LinkCount, "linkId">>;
type PageRead =
  | { kind: "together"; counters: StoredCounter[]; counts: Counts; isComplete: boolean; next: string | undefined }
  /** Too far for a page; `behind` are the spools of which the store has to read more first. */
  | { kind: "apart"; behind: TrackedSpool[]; bytes: number };

async function readPage(deps: VerifyDeps, { workspaceId, after }: LinksToVerify): Promise<PageRead> {
  const { pipeline, database } = deps;
  const limit = linksPerPageMax;
  const purgesBefore = await pendingPurges(database.reads);
  const stored = await pipeline.linkCounts({ workspaceId, after, limit });
  const spools = await advanceCounters(deps, stored.cursors);

  const cursors = await allCountersCursors(database.reads);
  const counters = await readCounters(database.reads, { workspaceId, after, limit });
  const cursorsThen = await allCountersCursors(database.reads);
  const purges = [...purgesBefore, ...(await pendingPurges(database.reads))];
  const ranges = spools.flatMap(({ id, spool }) => {
    const [from, to] = [stored.cursors[id] ?? 0, cursors.get(id)?.last ?? 0];
    return to > from ? [{ spool, from, to }] : [];
  });
  const tooLong = ranges.filter(({ from, to }) => to - from > gapBytesMax);
  // They stood at one position with all links: a call that was given up for its time may still have gone on amid the look.
  const hasMoved = spools.some(({ id }) => cursors.get(id)?.last !== cursorsThen.get(id)?.first);
  if (tooLong.length > 0 || hasMoved) {
    const bytes = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    return { kind: "apart", behind: tooLong.map(({ spool }) => spool), bytes };
  }

  const counts: Counts = new Map();
  addCounts(counts, stored.links);
  let isComplete = isStored(cursors, stored.cursors, new Set(spools.map(({ id }) => id)));
  for (const { spool, from, to } of ranges) {
    const tally = await deps.counters.tally({ directory: spool.directory, from, to });
    addCounts(counts, countsOf(tally));
    isComplete &&= tally.isWhole;
  }
  const last = counters.length < limit ? undefined : counters.at(-1)?.linkId;
  const next = smallerId(last, stored.upTo);
  const purged = new Set(purges.map(({ linkId }) => linkId));
  const within = counters.filter(({ linkId }) => (next === undefined || linkId <= next) && !purged.has(linkId));
  return { kind: "together", counters: within, counts, isComplete, next };
}

/** The spools there are, in each of which the counters have now come as far as the store at least, with all links. */
async function advanceCounters(deps: VerifyDeps, stored: Record<string, number>) {
  const spools = deps.spools.all().flatMap((spool) => {
    const extent = spool.extent();
    return extent === undefined ? [] : [{ id: extent.id, spool }];
  });
  const counted = await allCountersCursors(deps.database.reads);
  for (const { id, spool } of spools) {
    const position = Math.max(stored[id] ?? 0, counted.get(id)?.first ?? 0);
    while (spool.cursors.counters < position && (await spoolReaders.counters.step(deps, spool)).hasMoved);
  }
  return spools;
}

/** Whether the store has what was counted of the spools that are gone. */
function isStored(
  counted: ReadonlyMap<string, CountedTo>,
  stored: Record<string, number>,
  present: ReadonlySet<string>,
): boolean {
  return [...counted].every(([id, { first }]) => present.has(id) || first <= (stored[id] ?? 0));
}

function countsOf({ links }: RangeTally): LinkCount[] {
  return links.map(({ linkId, clicks, lastClicked }) => ({
    ...{ linkId, clicks },
    lastClicked: { from: lastClicked, to: lastClicked },
  }));
}

function smallerId(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

async function compare(
  { database }: VerifyDeps,
  { counters, counts, isComplete, next }: Extract<PageRead, { kind: "together" }>,
  { mends }: LinksToVerify,
): Promise<LinksVerified> {
  const differences = compareCounters(counters, counts, { isComplete });
  const mended = mends ? await correctCounters(database, differences) : new Set<string>();
  const left = await existingLinks(
    database.reads,
    differences.map(({ found }) => found.linkId),
  );
  return {
    kind: "compared",
    links: counters.length,
    differences: differences
      .filter(({ found }) => left.has(found.linkId))
      .map(({ found: { linkId, ...found }, right }) => ({
        ...{ linkId, found },
        right: { clicks: right.clicks, lastClicked: right.lastClicked },
        isMended: mended.has(linkId),
      })),
    isComplete,
    next: next ?? null,
  };
}

async function existingLinks(reads: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await reads.selectFrom("links").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
}
