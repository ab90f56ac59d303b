import { messageOf } from "../../base/message-of.ts";
import { secondMs } from "../../base/time.ts";
import { followPostgres, type PostgresFollower } from "../../database/postgres-follower.ts";
import { clusterOf, readChanges, readPage, snapshotOf } from "./link-source.ts";
import type { ReplicaFile } from "./replica-file.ts";
import type { ReplicaPosition } from "./replica-position.ts";
import { type CopiedRow, copiedTableNames, keyOf } from "./replica-tables.ts";

/**
 * How long after a notification the follower reads. A change of this node calls for a read itself, just after its
 * notification: a read that had begun at the notification would delay it, since the call needs one that begins later.
 */
const readAfterMs = 20;
/** How often the follower looks for changes without a notification, which PostgreSQL may lose with a connection. */
const pollEveryMs = 2 * secondMs;
const retryAfterMinMs = 100;
const retryAfterMaxMs = 2 * secondMs;

/** How a follower is doing. */
export type FollowerStatus = {
  /** When the replica last had every committed change, in milliseconds since the epoch; undefined since the start. */
  currentAt: number | undefined;
  /** Why the last attempt failed; undefined after a success. */
  failure: string | undefined;
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
  #wake = Promise.withResolvers<void>();
  /** Wakes the follower after a notification. */
  #notified: ReturnType<typeof setTimeout> | undefined;
  readonly #started = Promise.withResolvers<void>();
  /** The callers that wait for a read that begins after their call. */
  #waiting: PromiseWithResolvers<void>[] = [];

  /** A replica whose file would exceed `bytesMax` while it is filled is not used. */
  constructor(url: string, file: ReplicaFile, bytesMax: number) {
    this.#url = url;
    this.#file = file;
    this.#bytesMax = bytesMax;
  }

  get status(): FollowerStatus {
    return { currentAt: this.#currentAt, failure: this.#failure };
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
        const isMore = this.#file.deletePending();
        if (!isMore && this.#waiting.length === 0) await this.#wakeWithin(pollEveryMs);
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

  /** Resolves when the replica is current or not used by lookups, or the first attempt has failed. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /**
   * Resolves when the replica has every change that was committed before the call, or at once while it is filled.
   * Rejects when PostgreSQL does not answer.
   */
  async caughtUp(): Promise<void> {
    const position = this.#file.position;
    if (position?.isUsable !== true || position.filling !== null) return;
    const waiter = Promise.withResolvers<void>();
    this.#waiting.push(waiter);
    this.#wake.resolve();
    await waiter.promise;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake.resolve();
    // Ends a query that a silent server does not answer.
    void this.#disconnect();
  }

  async #follow(): Promise<void> {
    this.#source ??= await this.#connect();
    const source = this.#source;
    const position = this.#file.position;
    const isSameDatabase = position?.database === this.#cluster.database;
    if (!isSameDatabase || position.timeline !== this.#cluster.timeline) {
      const filling = { table: "links", after: null } as const;
      const isUsable = isSameDatabase && position.isUsable;
      this.#file.beginFilling({ ...this.#cluster, snapshot: await snapshotOf(source), filling, isUsable });
    }
    this.#requireRoom();
    if (this.#file.position?.filling) {
      this.#started.resolve();
      await this.#fill(source);
    }
    await this.#pull(source);
    this.#currentAt = Date.now();
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

  /**
   * Copies what remains to be copied, page by page; after an interruption it continues where it was. Rows that change
   * while it runs are read again by the next pull, since the position names the snapshot from before the copy.
   */
  async #fill(source: PostgresFollower): Promise<void> {
    for (let position = this.#file.position; position?.filling; position = this.#file.position) {
      if (this.#isStopped) return;
      this.#requireRoom();
      const { table, after } = position.filling;
      const page = await readPage(source, table, after);
      this.#file.replacePage(table, { after, ...page }, { ...position, filling: next(position.filling, page) });
    }
    // Lookups may use the rows that were replaced.
    this.#file.forgetAll(Date.now());
  }

  /** Throws when the file is too large; lookups then query PostgreSQL. */
  #requireRoom(): void {
    if (this.#file.bytes <= this.#bytesMax) return;
    const position = this.#file.position;
    if (position?.isUsable) this.#file.setPosition({ ...position, isUsable: false });
    throw new Error(`The copy of the links exceeds WAYPOST_LOOKUP_MAX_BYTES (${this.#bytesMax}).`);
  }

  async #pull(source: PostgresFollower): Promise<void> {
    const position = this.#file.position;
    if (position === undefined || position.filling !== null) return;
    const since = { snapshot: position.snapshot, blocksRevision: this.#file.blocksRevision };
    await readChanges(source, since, (delta, snapshot) => {
      this.#file.apply(delta, snapshot === undefined ? position : { ...position, snapshot, isUsable: true });
    });
  }

  async #wakeWithin(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#wake.resolve(), ms);
    await this.#wake.promise;
    clearTimeout(timer);
  }
}

type Filling = NonNullable<ReplicaPosition["filling"]>;

/** What remains after a page; null when nothing does. */
function next({ table }: Filling, { rows, isLast }: { rows: readonly CopiedRow[]; isLast: boolean }): Filling | null {
  const last = rows.at(-1);
  if (!isLast && last !== undefined) return { table, after: keyOf(table, last) };
  const following = copiedTableNames[copiedTableNames.indexOf(table) + 1];
  return following === undefined ? null : { table: following, after: null };
}
