import { messageOf } from "../../base/message-of.ts";
import { minuteMs, secondMs } from "../../base/time.ts";
import { followPostgres, type PostgresFollower } from "../../database/postgres-follower.ts";
import { clusterOf, namedLinksMax, readChanges, readLinks, readPage, snapshotOf } from "./link-source.ts";
import type { ReplicaFile } from "./replica-file.ts";
import type { Filling } from "./replica-position.ts";
import { type CopiedRow, copiedTableNames, keyOf } from "./replica-tables.ts";
import { type LinkName, VisitedLinks } from "./visited-links.ts";

/**
 * The delay between a notification and the read. A change of this node requests a read itself, just after its
 * notification, and needs one that begins after its commit: a read that began at the notification would delay it.
 */
const readAfterMs = 20;
/** How often the follower looks for changes without a notification, which PostgreSQL may lose with a connection. */
const pollEveryMs = 2 * secondMs;
const retryAfterMinMs = 100;
const retryAfterMaxMs = 2 * secondMs;
/** A partial replica is filled again when at least this part of its limit is free, as after the limit was raised. */
const freePartMin = 0.2;
/**
 * How often lookups clear their caches while links are evicted from the file. Otherwise a link that is always found in a
 * cache would not be missed in the file and copied again, and a start without PostgreSQL would lack it.
 */
const forgetEveryMs = 10 * minuteMs;

/** How a follower is doing. */
export type FollowerStatus = {
  /** When the replica last had every committed change, in milliseconds since the epoch; undefined since the start. */
  currentAt: number | undefined;
  /** Why the last attempt failed; undefined after a success. */
  failure: string | undefined;
  /** True when the replica has only some links, since all of them exceed its limit. */
  isPartial: boolean;
  /** Bytes of the replica's file that are in use. */
  bytes: number;
};

/** Keeps a replica current. One follower runs per replica. */
export class Follower {
  readonly #url: string;
  readonly #file: ReplicaFile;
  readonly #bytesMax: number;
  #source: PostgresFollower | undefined;
  #cluster = { database: "", timeline: "" };
  #isStopped = false;
  #currentAt: number | undefined;
  #failure: string | undefined;
  readonly #visited = new VisitedLinks();
  /** The earliest time at which lookups clear their caches again, in milliseconds since the epoch. */
  #forgetAt = 0;
  #wake = Promise.withResolvers<void>();
  /** Wakes the follower after a notification. */
  #notified: ReturnType<typeof setTimeout> | undefined;
  readonly #started = Promise.withResolvers<void>();
  /** The callers that wait for a read that begins after their call. */
  #waiting: PromiseWithResolvers<void>[] = [];

  /** A replica whose file would exceed `bytesMax` is partial: it has the links that fit, later the ones visited last. */
  constructor(url: string, file: ReplicaFile, bytesMax: number) {
    this.#url = url;
    this.#file = file;
    this.#bytesMax = bytesMax;
  }

  get status(): FollowerStatus {
    const isPartial = this.#file.position?.isPartial === true;
    return { currentAt: this.#currentAt, failure: this.#failure, isPartial, bytes: this.#file.bytes };
  }

  /** Follows until `stop`. */
  async run(): Promise<void> {
    let retryAfterMs = retryAfterMinMs;
    while (!this.#isStopped) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#wake = Promise.withResolvers();
      clearTimeout(this.#notified);
      this.#notified = undefined;
      try {
        await this.#follow();
        this.#failure = undefined;
        retryAfterMs = retryAfterMinMs;
        for (const { resolve } of waiting) resolve();
        this.#started.resolve();
        if (!this.#workMore() && this.#waiting.length === 0) await this.#wakeWithin(pollEveryMs);
      } catch (error) {
        this.#failure = messageOf(error);
        for (const { reject } of waiting) reject(error);
        this.#started.resolve();
        await this.#disconnect();
        await this.#wakeWithin(retryAfterMs);
        retryAfterMs = Math.min(2 * retryAfterMs, retryAfterMaxMs);
      }
    }
    await this.#disconnect();
    this.#file.close();
  }

  /**
   * Resolves when the replica has every change from before this start, when its first copy has begun, or when the first
   * attempt has failed.
   */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /**
   * Resolves when the replica has every change that was committed before the call, or at once while lookups do not use it.
   * Rejects when PostgreSQL does not answer.
   */
  async caughtUp(): Promise<void> {
    if (this.#file.position?.isUsable !== true) return;
    const waiter = Promise.withResolvers<void>();
    this.#waiting.push(waiter);
    this.#wake.resolve();
    await waiter.promise;
  }

  /** Copies links that lookups have missed in a partial replica, as far as there is room in the queue. */
  copyVisited(names: readonly LinkName[]): void {
    for (const [domainId, foldedKey] of names) this.#visited.add(domainId, foldedKey);
    this.#wake.resolve();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake.resolve();
    // Ends a query that a silent server does not answer.
    void this.#disconnect();
  }

  /**
   * One step: copies a page and the links that were visited, then pulls the changes. Copied rows may be newer than the
   * position, never older, so the pull reads every change of them that the rows do not show.
   */
  async #follow(): Promise<void> {
    this.#source ??= await this.#connect();
    const source = this.#source;
    await this.#beginFilling(source);
    await this.#fillPage(source);
    await this.#copyVisited(source);
    await this.#pull(source);
    if (this.#file.position?.filling === null) this.#currentAt = Date.now();
  }

  /** Bounded work that no caller waits for; true while there is more to do. */
  #workMore(): boolean {
    const isDeleting = this.#file.deletePending();
    const isEvicting = this.#makeRoom();
    return isDeleting || isEvicting || this.#visited.size > 0 || Boolean(this.#file.position?.filling);
  }

  async #connect(): Promise<PostgresFollower> {
    const source = await followPostgres(this.#url, {
      onChanges: () => {
        this.#notified ??= setTimeout(() => this.#wake.resolve(), readAfterMs);
      },
      onEnd: () => {
        // An earlier connection may end only after a later one has begun.
        if (this.#source === source) this.#source = undefined;
        this.#wake.resolve();
      },
    });
    try {
      this.#cluster = await clusterOf(source);
    } catch (error) {
      await source.close();
      throw error;
    }
    return source;
  }

  async #disconnect(): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    await source?.close();
  }

  /** Begins to fill the replica with another database or timeline, or a partial one that has much room. */
  async #beginFilling(source: PostgresFollower): Promise<void> {
    const position = this.#file.position;
    const isSameDatabase = position?.database === this.#cluster.database;
    if (!isSameDatabase || position.timeline !== this.#cluster.timeline) {
      const isUsable = isSameDatabase && position.isUsable;
      const isPartial = position?.isPartial === true;
      const state = { filling: { table: firstTable, after: null }, isUsable, isPartial };
      this.#file.beginFilling({ ...this.#cluster, snapshot: await snapshotOf(source), ...state });
      return;
    }
    const isRoomy = this.#file.bytes < (1 - freePartMin) * this.#bytesMax;
    if (position.isPartial && position.filling === null && isRoomy) {
      this.#file.setPosition({ ...position, filling: { table: firstTable, after: null } });
    }
  }

  /**
   * Copies the next page of what remains to be copied, also after an interruption. A replica without room for all links stays
   * partial.
   */
  async #fillPage(source: PostgresFollower): Promise<void> {
    const position = this.#file.position;
    if (!position?.filling) return;
    const { filling } = position;
    const { table, after } = filling;
    if (table !== "domains" && this.#isFull) {
      if (this.#makeRoom()) return;
      this.#file.setPosition({ ...position, filling: null, isPartial: true });
      this.#file.forgetAll(Date.now());
      return;
    }
    const page = await readPage(source, table, after);
    const filled = { ...position, filling: next(filling, page) };
    this.#file.replacePage(table, { after, ...page }, filled);
    if (filled.filling !== null) return;
    this.#file.forgetAll(Date.now());
    // In a commit after the last page: a lookup that sees it sees all links.
    this.#file.setPosition({ ...filled, isPartial: false });
  }

  /** Copies links that a lookup has missed. */
  async #copyVisited(source: PostgresFollower): Promise<void> {
    const names = this.#visited.take(namedLinksMax);
    if (names.length > 0 && this.#file.position?.isPartial) this.#file.addLinks(await readLinks(source, names));
  }

  async #pull(source: PostgresFollower): Promise<void> {
    const { position, blocksRevision } = this.#file;
    if (position === undefined) return;
    await readChanges(source, { snapshot: position.snapshot, blocksRevision }, (delta, snapshot) => {
      this.#file.apply(delta, snapshot);
      this.#makeRoom();
    });
  }

  get #isFull(): boolean {
    return this.#file.bytes > this.#bytesMax;
  }

  /** Deletes some rows if the file is too large, which makes the replica partial; true when there were some. */
  #makeRoom(): boolean {
    const position = this.#file.position;
    if (position === undefined || !this.#isFull) return false;
    // In a transaction before the first deletion: a lookup that misses a link sees that it may be missing.
    if (!position.isPartial) this.#file.markPartial(position);
    const isEvicted = this.#file.evict(position.filling);
    if (isEvicted && Date.now() >= this.#forgetAt) {
      this.#file.forgetAll(Date.now());
      this.#forgetAt = Date.now() + forgetEveryMs;
    }
    return isEvicted;
  }

  async #wakeWithin(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#wake.resolve(), ms);
    await this.#wake.promise;
    clearTimeout(timer);
  }
}

const [firstTable] = copiedTableNames;

/** What remains after a page; null when nothing does. */
function next({ table }: Filling, { rows, isLast }: { rows: readonly CopiedRow[]; isLast: boolean }): Filling | null {
  const last = rows.at(-1);
  if (!isLast && last !== undefined) return { table, after: keyOf(table, last) };
  const following = copiedTableNames[copiedTableNames.indexOf(table) + 1];
  return following === undefined ? null : { table: following, after: null };
}
