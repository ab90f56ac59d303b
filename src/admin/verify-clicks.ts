/**
 * Compares the counters of links with the stored clicks, exactly, while new clicks arrive.
 *
 * 1. The spool readers pause while a page is compared, so that no spool deletes the clicks that are needed below and
 *    the comparison terminates. New clicks wait in the spool; visitors are answered.
 * 2. The store returns a page's counts and its cursors from one snapshot. The counters' reader advances until it is not
 *    after these cursors; the clicks between the two positions are tallied from the spool and added to the counts. The
 *    positions only move forward, because a last click cannot be subtracted from a count.
 * 3. A counter is corrected only if it still has the compared value (links/correct-counters.ts), so that a reader
 *    that did not pause, such as another node's, loses nothing.
 * 4. Both readers have read a deleted spool to its end. Where the counters are ahead of the store, clicks are stored
 *    elsewhere or lost: the counts are incomplete then, and no counter is lowered.
 * 5. The spools of other nodes cannot be read or paused here: see other-counters.ts.
 * 6. Deleted links and their clicks are not differences. Links whose clicks are being purged are skipped: their
 *    counters are 0 before their clicks have left the store.
 */
import { z } from "zod";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { LinkCount } from "../clicks/recount.ts";
import type { RangeTally } from "../clicks/tally.ts";
import type { Db } from "../database/database.ts";
import { addCounts, type StoredCounter } from "../links/compare-counters.ts";
import {
  allCountersCursors,
  type CountedTo,
  type CounterPage,
  correctCounters,
  readCounters,
} from "../links/correct-counters.ts";
import type { Counters } from "../links/counters.ts";
import { pendingPurges } from "../links/pending-purges.ts";
import { type ReaderDeps, spoolReaders } from "../spools/readers.ts";
import type { Spools } from "../spools/spools.ts";
import type { TrackedSpool } from "../spools/tracked-spool.ts";
import {
  bytesNotCounted,
  bytesNotStored,
  compareReadings,
  type EarlierCounters,
  readEarlierCounters,
} from "./other-counters.ts";

/** Links per page. A page reads all clicks of the workspace: about 100 ms for twenty million. */
const linksPerPageMax = 2_000;
/** Links per page when other nodes run, because every page waits for their readers once. */
const linksPerPageOfNodesMax = 20_000;
/** Bytes of a spool between store and counters that a page may tally: one or two seconds of the counters' thread. */
const gapBytesMax = 8 * 1024 ** 2;
/** How long the store may catch up with the counters before the caller gets "behind". */
const catchUpTimeMaxMs = 10 * secondMs;

/** How often a page that waits for other nodes looks for their progress. */
const retryEveryMs = 100;

/** A workspace to compare, and the number of its links. */
export const VerifiedWorkspace = z.object({ id: z.int(), links: z.int() });

const Counter = z.object({ clicks: z.int(), lastClicked: z.int().nullable() });
const Difference = z.object({ linkId: z.string(), found: Counter, right: Counter, isCorrected: z.boolean() });

/** The result of a page of links: compared, or not yet because the store is this many bytes behind the counters. */
export const LinksVerified = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("compared"),
    links: z.int(),
    /** Links that other nodes' visitors clicked during the comparison, and that were compared only within these clicks. */
    approximate: z.int(),
    differences: z.array(Difference),
    isComplete: z.boolean(),
    /** The start of the next page; null after the last one. */
    next: z.string().nullable(),
  }),
  z.object({ kind: z.literal("behind"), bytes: z.int() }),
]);
export type LinksVerified = z.output<typeof LinksVerified>;

/** The page of links with ids greater than `after`. */
type LinksToVerify = { workspaceId: number; after: string; corrects: boolean };

/** The resources of the comparison. */
export type VerifyDeps = Pick<App, "database" | "readersLock" | "node"> &
  ReaderDeps & {
    pipeline: Pick<Pipeline, "linkCounts">;
    counters: Pick<Counters, "tally">;
    spools: Pick<Spools, "all">;
  };

/** Returns all workspaces, or the given one. Throws "not_found". */
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

/**
 * Compares the counters of a page of links with their clicks, and corrects them on request; see the top of this file.
 */
export async function verifyLinks(deps: VerifyDeps, page: LinksToVerify): Promise<LinksVerified> {
  return await deps.readersLock.exclusive(async () => {
    const until = performance.now() + catchUpTimeMaxMs;
    const others = (await deps.node?.readOtherSpools(deps.database.reads)) ?? [];
    const { workspaceId, after } = page;
    const rows = { workspaceId, after, limit: others.length === 0 ? linksPerPageMax : linksPerPageOfNodesMax };
    const earlier = await readEarlierCounters(deps.database.reads, others, rows);
    for (;;) {
      const read = await readPage(deps, rows, earlier, until);
      if (read.kind === "together") return await compare(deps, read, earlier, page);
      if (performance.now() >= until) return { kind: "behind", bytes: read.bytes };
      for (const spool of read.behind) await spoolReaders.store.step(deps, spool);
      if (read.behind.length === 0) await Bun.sleep(retryEveryMs);
    }
  });
}

type Counts = Map<string, Omit<LinkCount, "linkId">>;
type PageRead =
  | { kind: "together"; counters: StoredCounter[]; counts: Counts; isComplete: boolean; next: string | undefined }
  /** The distance is too long for a page; the store must first read more of the spools `behind`, or other nodes must go on. */
  | { kind: "apart"; behind: TrackedSpool[]; bytes: number };

async function readPage(
  deps: VerifyDeps,
  rows: CounterPage,
  earlier: EarlierCounters,
  until: number,
): Promise<PageRead> {
  const { pipeline, database } = deps;
  const purgesBefore = await pendingPurges(database.reads);
  const stored = await pipeline.linkCounts(rows);
  const lacking = bytesNotStored(earlier, stored.cursors);
  if (lacking > 0) return { kind: "apart", behind: [], bytes: lacking };
  const spools = await advanceCounters(deps, stored.cursors);

  const { cursors, uncounted } = await awaitOtherCounters(database.reads, earlier, stored.cursors, until);
  if (uncounted > 0) return { kind: "apart", behind: [], bytes: uncounted };
  const counters = await readCounters(database.reads, rows);
  const cursorsThen = await allCountersCursors(database.reads);
  const purges = [...purgesBefore, ...(await pendingPurges(database.reads))];
  const ranges = spools.flatMap(({ id, spool }) => {
    const [from, to] = [stored.cursors[id] ?? 0, cursors.get(id)?.last ?? 0];
    return to > from ? [{ spool, from, to }] : [];
  });
  const tooLong = ranges.filter(({ from, to }) => to - from > gapBytesMax);
  // All links stand at one position, unless a call that timed out went on during these reads.
  const hasMoved = spools.some(({ id }) => cursors.get(id)?.last !== cursorsThen.get(id)?.first);
  if (tooLong.length > 0 || hasMoved) {
    const bytes = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    return { kind: "apart", behind: tooLong.map(({ spool }) => spool), bytes };
  }

  const counts: Counts = new Map();
  addCounts(counts, stored.links);
  const present = new Set([...spools.map(({ id }) => id), ...earlier.positions.keys()]);
  let isComplete = isStored(cursors, stored.cursors, present);
  for (const { spool, from, to } of ranges) {
    const tally = await deps.counters.tally({ directory: spool.directory, from, to });
    addCounts(counts, countsOf(tally));
    isComplete &&= tally.isWhole;
  }
  const last = counters.length < rows.limit ? undefined : counters.at(-1)?.linkId;
  const next = smallerId(last, stored.upTo);
  const purged = new Set(purges.map(({ linkId }) => linkId));
  const within = counters.filter(({ linkId }) => (next === undefined || linkId <= next) && !purged.has(linkId));
  return { kind: "together", counters: within, counts, isComplete, next };
}

/** Advances the counters of all links to the store's position in each spool, and returns the spools. */
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

/** The cursors of the counters, once those of other nodes have reached the store's position or the time is over. */
async function awaitOtherCounters(reads: Db, earlier: EarlierCounters, stored: Record<string, number>, until: number) {
  for (;;) {
    const cursors = await allCountersCursors(reads);
    const uncounted = bytesNotCounted(earlier, stored, (spoolId) => cursors.get(spoolId)?.last ?? 0);
    if (uncounted === 0 || performance.now() >= until) return { cursors, uncounted };
    await Bun.sleep(retryEveryMs);
  }
}

/** True when the store holds all counted clicks of deleted spools. */
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
  earlier: EarlierCounters,
  { corrects }: LinksToVerify,
): Promise<LinksVerified> {
  const { exact, approximate, clicked } = compareReadings(earlier, counters, counts, { isComplete });
  const corrected = corrects ? await correctCounters(database, exact) : new Set<string>();
  const differences = [...exact, ...approximate];
  const left = await existingLinks(
    database.reads,
    differences.map(({ found }) => found.linkId),
  );
  return {
    kind: "compared",
    links: counters.length,
    approximate: clicked,
    differences: differences
      .filter(({ found }) => left.has(found.linkId))
      .map(({ found: { linkId, ...found }, right }) => ({
        ...{ linkId, found },
        right: { clicks: right.clicks, lastClicked: right.lastClicked },
        isCorrected: corrected.has(linkId),
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
