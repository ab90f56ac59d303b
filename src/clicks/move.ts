/**
 * Moves all clicks of a store into an empty one of another engine. Every answer of the source stays the same.
 *
 * 1. The clicks go over in parts, which are fixed by the source's contents. Each part is like a spool of the target: its
 *    batches have the same bounds each time, so that a repeated move stores only what is missing.
 * 2. Then go the counts of expired clicks, and all counts are compared.
 * 3. The cursors of the source's spools follow when the target takes over. Until then it has those of parts, which say that
 *    it may lack clicks; see moved-spools.ts.
 */
import { dayMs } from "../base/time.ts";
import type { Click } from "./click.ts";
import { movedPrefix, movedSpoolsOf, withoutMoved } from "./moved-spools.ts";
import type { ClickQuery, ClickRow } from "./query.ts";
import type { LinkCount, LinkCountPage, LinkCounts } from "./recount.ts";
import type { ClickStore, ServedClickStore } from "./store.ts";

/** Clicks of some days, or of one day and some workspaces: `from` inclusive, `to` exclusive, in milliseconds. */
export type StorePart = {
  from: number;
  to: number;
  /** Inclusive bounds; absent for all workspaces. */
  workspaces?: { first: number; last: number };
  clicks: number;
};

/** The number of expired clicks of a link in one 15-minute bucket. `time` is its first millisecond. */
export type ExpiredCount = Pick<Click, "workspaceId" | "time" | "linkId" | "domainId" | "domain" | "key"> & {
  isBot: boolean;
  clicks: number;
};

/** What a move needs of a store beside its usual calls. Nothing else uses the store. */
export type StoreMove = {
  /** Deletes the clicks that are already counted as expired. A move calls it before anything is read. */
  settle(): Promise<void>;
  /** The workspaces with clicks, also expired ones, in ascending order. */
  workspaceIds(): Promise<number[]>;
  /** The clicks of each UTC day that has some, in ascending order. `day` is its first millisecond. */
  countDays(): Promise<{ day: number; clicks: number }[]>;
  /** The clicks of each workspace on a day, in ascending order. */
  countWorkspaces(day: number): Promise<{ workspaceId: number; clicks: number }[]>;
  /** The clicks of a part from the one with this number, in batches of this size; only the last one is smaller. */
  readPart(part: StorePart, from: number, batchMax: number): AsyncIterable<Click[]>;
  /** All counts of expired clicks, in batches of at most this size. */
  readExpired(batchMax: number): AsyncIterable<ExpiredCount[]>;
  /** Removes all counts of expired clicks and adds these. */
  replaceExpired(counts: AsyncIterable<ExpiredCount[]>): Promise<void>;
  /** The cursor of each spool, also those at 0. */
  cursors(): Promise<Record<string, number>>;
  /** Replaces the cursors of moves. Throws TargetInUse when there are cursors of real spools. */
  replaceMoved(cursors: Readonly<Record<string, number>>): Promise<void>;
  /** Removes all clicks and counts. */
  clear(): Promise<void>;
};

/** A click store that can be moved. */
export type MovableClickStore = ServedClickStore & { move: StoreMove };

/** What a move uses of a store. */
export type MovedStore = Pick<ClickStore, "cursor" | "insert" | "linkCounts" | "query" | "storeId"> & {
  move: StoreMove;
};

/** The most clicks of a part, which only one workspace on one day can exceed, and of a batch. */
type MoveBounds = { partClicksMax: number; batchMax: number };

/** A click takes about 1 KB in memory. */
const usualBounds: MoveBounds = { partClicksMax: 1_000_000, batchMax: 50_000 };

/** The id of a move, by which its parts are known; its bounds; and progress callbacks. */
type MoveOptions = {
  bounds?: MoveBounds;
  moveId: string;
  onClicks(moved: number, total: number): void;
  onCompared(workspaces: number, total: number): void;
};

/** Thrown for a target that has clicks which no move has put there. */
export class TargetInUse extends Error {}

/** Thrown when a count of the target differs; the message says which. */
export class CountsDiffer extends Error {}

/** A store whose clicks are all in the target: their number, and the cursors of its spools, which the target needs. */
export type MovedClicks = { clicks: number; cursors: Record<string, number> };

/**
 * Moves all clicks and compares all counts. Call it again with the same `moveId` after a failure.
 * Throws TargetInUse, and CountsDiffer when the clicks must be moved again from the start.
 */
export async function moveClicks(source: MovedStore, target: MovedStore, options: MoveOptions): Promise<MovedClicks> {
  const { partClicksMax, batchMax } = options.bounds ?? usualBounds;
  await source.move.settle();
  const parts = await partsOf(source.move, partClicksMax);
  const total = parts.reduce((sum, { clicks }) => sum + clicks, 0);
  const prefix = await prepareTarget(target, options.moveId);
  let moved = 0;
  for (const [index, part] of parts.entries()) {
    const spoolId = `${prefix}${index}`;
    const stored = await target.cursor(spoolId);
    options.onClicks(moved + stored, total);
    let position = stored;
    for await (const clicks of source.move.readPart(part, stored, batchMax)) {
      const to = position + clicks.length;
      await target.insert({ spoolId, from: position, to }, clicks);
      position = to;
      options.onClicks(moved + position, total);
    }
    moved += part.clicks;
  }
  await target.move.replaceExpired(source.move.readExpired(batchMax));
  await compareStores(source, target, options.onCompared);
  return { clicks: total, cursors: withoutMoved(await source.move.cursors()) };
}

/**
 * Returns the prefix of the ids of parts. Removes what other moves have left in the target. The ids name the target, because
 * cursors may be elsewhere than the clicks.
 */
async function prepareTarget(target: MovedStore, moveId: string): Promise<string> {
  const storeId = await target.storeId();
  const prefix = movedSpoolsOf(storeId, moveId);
  const spools = Object.keys(await target.move.cursors());
  // Cursors of a service may belong to another store that is in use.
  if (spools.some((id) => !id.startsWith(movedPrefix))) throw new TargetInUse(cursorsInUse);
  if (spools.some((id) => id.startsWith(prefix))) return prefix;
  const isLeft = spools.some((id) => id.startsWith(movedSpoolsOf(storeId)));
  if (!isLeft && (await target.move.workspaceIds()).length > 0) {
    throw new TargetInUse("The target has clicks that no unfinished move has stored there.");
  }
  // A kill during the removal must not leave a target that looks complete, or prepared.
  await target.move.replaceMoved({ [`${movedSpoolsOf(storeId)}cleared`]: 0 });
  await target.move.clear();
  await target.move.replaceMoved({ [`${prefix}begun`]: 0 });
  return prefix;
}

/** The message of TargetInUse for a target with cursors of real spools. */
export const cursorsInUse = "Cursors of a service that stores clicks in ClickHouse are recorded already.";

/** The parts of a store: days of one month, or some workspaces of a larger day. */
async function partsOf(
  store: Pick<StoreMove, "countDays" | "countWorkspaces">,
  partClicksMax: number,
): Promise<StorePart[]> {
  const parts: StorePart[] = [];
  for (const { day, clicks } of await store.countDays()) {
    if (clicks > partClicksMax) {
      parts.push(...splitDay(day, await store.countWorkspaces(day), partClicksMax));
      continue;
    }
    const last = parts.at(-1);
    const fits =
      last !== undefined &&
      last.workspaces === undefined &&
      last.clicks + clicks <= partClicksMax &&
      monthOf(last.from) === monthOf(day);
    if (fits) parts[parts.length - 1] = { from: last.from, to: day + dayMs, clicks: last.clicks + clicks };
    else parts.push({ from: day, to: day + dayMs, clicks });
  }
  return parts;
}

function splitDay(
  day: number,
  counts: readonly { workspaceId: number; clicks: number }[],
  partClicksMax: number,
): StorePart[] {
  const parts: StorePart[] = [];
  for (const { workspaceId, clicks } of counts) {
    const last = parts.at(-1);
    if (last?.workspaces === undefined || last.clicks + clicks > partClicksMax) {
      parts.push({ from: day, to: day + dayMs, workspaces: { first: workspaceId, last: workspaceId }, clicks });
    } else {
      last.workspaces.last = workspaceId;
      last.clicks += clicks;
    }
  }
  return parts;
}

/** In ClickHouse, a batch within one month is one insert. */
function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** Links whose counts are compared in one step. */
const linksPerPageMax = 2_000;

/** Compares the counts of every link, and of every workspace by day and by visitors. Throws CountsDiffer. */
async function compareStores(
  source: MovedStore,
  target: MovedStore,
  onCompared: MoveOptions["onCompared"],
): Promise<void> {
  const workspaceIds = await source.move.workspaceIds();
  requireEqual("The workspaces with clicks", workspaceIds, await target.move.workspaceIds());
  for (const [index, workspaceId] of workspaceIds.entries()) {
    onCompared(index, workspaceIds.length);
    for (const [name, query] of Object.entries(comparedQueries(workspaceId))) {
      requireEqual(`${name} of workspace ${workspaceId}`, await source.query(query), await target.query(query));
    }
    for await (const [links, others] of bothPages(source, target, workspaceId)) {
      requireEqual(`The clicks of links of workspace ${workspaceId}`, links, others);
    }
  }
  onCompared(workspaceIds.length, workspaceIds.length);
}

function comparedQueries(workspaceId: number): Readonly<Record<string, ClickQuery>> {
  const all = { workspaceId, from: 0, to: Number.MAX_SAFE_INTEGER, bots: "include", filters: [] } as const;
  return {
    "The clicks by day": { ...all, grouping: { kind: "intervals", intervalMs: dayMs } },
    "The visitors": { ...all, bots: "exclude", metric: "visitors", grouping: { kind: "count" } },
  };
}

async function* bothPages(
  source: MovedStore,
  target: MovedStore,
  workspaceId: number,
): AsyncGenerator<[LinkCount[], LinkCount[]]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: LinkCountPage = { workspaceId, after, limit: linksPerPageMax };
    const ofSource: LinkCounts = await source.linkCounts(page);
    const ofTarget = await target.linkCounts(page);
    yield [ofSource.links, ofTarget.links];
    after = ofSource.upTo;
  }
}

function requireEqual<Item extends number | ClickRow | LinkCount>(
  what: string,
  left: readonly Item[],
  right: readonly Item[],
): void {
  const index = left.findIndex((item, at) => !Bun.deepEquals(item, right[at]));
  const at = index >= 0 ? index : left.length;
  if (left.length === right.length && at === left.length) return;
  throw new CountsDiffer(`${what} differ: ${JSON.stringify(left[at])} became ${JSON.stringify(right[at])}.`);
}
