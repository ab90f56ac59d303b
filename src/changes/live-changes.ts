/**
 * Live changes: streams that tell clients which kinds of objects changed in a workspace, so that they read them again.
 *
 * 1. A stream carries nouns only, no ids and no contents: whatever a client then reads is subject to its rights.
 * 2. One reader follows the outbox for all streams, and only while a stream is open. On SQLite it queries nothing until
 *    a process has committed a transaction.
 * 3. A stream keeps at most one entry per noun, so a slow client costs nothing and misses nothing.
 * 4. PostgreSQL can commit an event after one with a higher id. The reader therefore reads the events of the last
 *    settleMs again and skips those it has seen. When it starts, it treats the newest eventsMax / 2 in the same way.
 */

import { requireStreamCapacity, type StreamLimits, type StreamOwner } from "../access/stream-capacity.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { hourMs, secondMs } from "../base/time.ts";
import type { Database } from "../database/database.ts";
import { type ChangedNoun, changedNouns, nounOf } from "../database/outbox.ts";
import { ChangeStream, type ChangeStreamBounds } from "./change-stream.ts";

/** The most streams, the limits of each, and those of the reader. */
type ChangeBounds = ChangeStreamBounds &
  StreamLimits & {
    /** How often the reader looks for changes. */
    pollMs: number;
    /** How long an event may be committed after one with a higher id. */
    settleMs: number;
    /** Events per step of the reader, one by one. More are only summed up by workspace and kind. */
    eventsMax: number;
    /** Events that are summed up; with more, every stream is told that everything changed. */
    summedEventsMax: number;
  };

/** TABLE of limits. Each waiting stream takes three file descriptors. */
export const changeBounds: ChangeBounds = {
  streamsMax: 300,
  workspaceStreamsMax: 100,
  userStreamsMax: 20,
  heartbeatMs: 15 * secondMs,
  recheckMs: 10 * secondMs,
  lifetimeMs: hourMs,
  pollMs: 500,
  settleMs: 5 * secondMs,
  eventsMax: 500,
  summedEventsMax: 5_000,
};

/** The dependencies of live changes. */
type LiveChangesDeps = {
  database: Pick<Database, "db" | "sqlite">;
  log: Log;
  /** Called with the number of streams whenever it changes. */
  onCount(open: number): void;
  bounds?: ChangeBounds;
};

/** The parameters of a stream. */
type Subscription = StreamOwner & {
  /** Returns the nouns that the client may know of; called at the beginning and every recheckMs. */
  authorize(): Promise<ReadonlySet<ChangedNoun>>;
  /** Delivers changes since this time first, in milliseconds since the epoch; possibly a few earlier ones. */
  since: number;
};

/** See the top of this file. */
export type LiveChanges = {
  /**
   * Opens a stream, which delivers the changes since a time and from now on. Throws "rate_limit_exceeded" and "unavailable"
   * beyond the limits, and the errors of `authorize`.
   */
  open(subscription: Subscription): Promise<ChangeStream>;
  /** Ends every stream and refuses new ones. */
  close(): void;
};

/** Opens live changes without a stream. */
export function openLiveChanges(deps: LiveChangesDeps): LiveChanges {
  const bounds = deps.bounds ?? changeBounds;
  const streams = new Map<ChangeStream, StreamOwner>();
  const outbox = new OutboxReader(deps.database, bounds);
  let isClosed = false;
  /** Resolves when the reader has its position; undefined while there is no reader. */
  let begun: Promise<void> | undefined;

  /** Starts the reader unless it runs. A second start would skip events that the first one's streams wait for. */
  function follow(): Promise<void> {
    begun ??= outbox.skipToEnd().then(
      () => void tellChanges(),
      (error: unknown) => {
        begun = undefined;
        throw error;
      },
    );
    return begun;
  }

  async function tellChanges(): Promise<void> {
    for (let wait = bounds.pollMs; streams.size > 0; ) {
      await Bun.sleep(wait);
      try {
        tell(streams, await outbox.next());
        wait = bounds.pollMs;
      } catch (error) {
        // The database is away; the streams wait.
        deps.log.warn("Changes could not be read.", { cause: error });
        wait = Math.min(wait * 2, pollMsMax);
      }
    }
    begun = undefined;
  }

  return {
    async open({ workspaceId, userId, authorize, since }) {
      if (isClosed) throw new Problem("unavailable", "The service is stopping; try again in a few seconds.");
      requireStreamCapacity(bounds, [...streams.values()], { workspaceId, userId });
      const stream: ChangeStream = new ChangeStream({
        ...{ authorize, bounds },
        onEnd() {
          if (streams.delete(stream)) deps.onCount(streams.size);
        },
      });
      streams.set(stream, { workspaceId, userId });
      deps.onCount(streams.size);
      await stream.begin();
      try {
        await follow();
        tell(new Map([[stream, { workspaceId, userId }]]), await outbox.since(since));
      } catch (error) {
        stream.end();
        throw error;
      }
      return stream;
    },
    close() {
      isClosed = true;
      for (const stream of [...streams.keys()]) stream.end();
    },
  };
}

/** The longest pause after failed reads. */
const pollMsMax = 10 * secondMs;

type Change = { workspaceId: number; noun: ChangedNoun };

function tell(streams: ReadonlyMap<ChangeStream, StreamOwner>, changes: readonly Change[] | "everything"): void {
  for (const [stream, { workspaceId }] of streams) {
    if (changes === "everything") for (const noun of changedNouns) stream.changed(noun);
    else for (const change of changes) if (change.workspaceId === workspaceId) stream.changed(change.noun);
  }
}

function toChange({ workspaceId, type }: { workspaceId: number; type: string }): Change[] {
  const noun = nounOf(type);
  return noun === undefined ? [] : [{ workspaceId, noun }];
}

/** Reads each event of the outbox once. */
class OutboxReader {
  readonly #database: Pick<Database, "db" | "sqlite">;
  readonly #bounds: ChangeBounds;
  /** Every event up to this id has been read. */
  #settledId = 0;
  /** When each later event was read, by its id. */
  readonly #readAt = new Map<number, number>();
  #commits = -1;

  constructor(database: Pick<Database, "db" | "sqlite">, bounds: ChangeBounds) {
    this.#database = database;
    this.#bounds = bounds;
  }

  /** Skips the events so far. The newest ones stay unsettled, since one with a lower id may follow. */
  async skipToEnd(): Promise<void> {
    // Half of a step leaves room for events that are new.
    const unsettledMax = Math.floor(this.#bounds.eventsMax / 2);
    const newest = await this.#database.db
      .selectFrom("events")
      .select("id")
      .orderBy("id", "desc")
      .limit(unsettledMax)
      .execute();
    const now = performance.now();
    this.#readAt.clear();
    for (const { id } of newest) this.#readAt.set(id, now);
    this.#settledId = newest.length < unsettledMax ? 0 : (newest.at(-1)?.id ?? 1) - 1;
  }

  /** The changes since a time, and those of the settleMs before it, whose commit may have come later. */
  async since(time: number): Promise<Change[] | "everything"> {
    const { eventsMax, settleMs } = this.#bounds;
    const rows = await this.#database.db
      .selectFrom("events")
      .select(["workspaceId", "type", "at"])
      .orderBy("id", "desc")
      .limit(eventsMax)
      .execute();
    const from = time - settleMs;
    const oldest = rows.at(-1);
    if (rows.length === eventsMax && oldest !== undefined && oldest.at >= from) return "everything";
    return rows.filter(({ at }) => at >= from).flatMap(toChange);
  }

  /** The changes that were committed since the last call. */
  async next(): Promise<Change[] | "everything"> {
    this.#settle(performance.now());
    const commits = this.#database.sqlite?.commits();
    if (commits !== undefined && commits === this.#commits) return [];
    const rows = await this.#database.db
      .selectFrom("events")
      .select(["id", "workspaceId", "type"])
      .where("id", ">", this.#settledId)
      .orderBy("id")
      .limit(this.#bounds.eventsMax)
      .execute();
    if (rows.length === this.#bounds.eventsMax) {
      const changes = await this.#sumUp();
      await this.skipToEnd();
      return changes;
    }
    this.#commits = commits ?? -1;
    const unread = rows.filter(({ id }) => !this.#readAt.has(id));
    for (const { id } of unread) this.#readAt.set(id, performance.now());
    return unread.flatMap(toChange);
  }

  /** Each kind that changed in each workspace, so that the import of one does not reload the lists of the others. */
  async #sumUp(): Promise<Change[] | "everything"> {
    const { summedEventsMax } = this.#bounds;
    const { db } = this.#database;
    const kinds = await db
      .selectFrom(
        db
          .selectFrom("events")
          .select(["workspaceId", "type"])
          .where("id", ">", this.#settledId)
          .orderBy("id")
          .limit(summedEventsMax)
          .as("latest"),
      )
      .select((select) => ["workspaceId", "type", select.fn.countAll<number>().as("events")])
      .groupBy(["workspaceId", "type"])
      .execute();
    const events = kinds.reduce((sum, kind) => sum + Number(kind.events), 0);
    return events >= summedEventsMax ? "everything" : kinds.flatMap(toChange);
  }

  /** Forgets events that are too old for an earlier one to follow. */
  #settle(now: number): void {
    for (const [id, readAt] of [...this.#readAt].toSorted(([one], [other]) => one - other)) {
      if (now - readAt < this.#bounds.settleMs) return;
      this.#settledId = Math.max(this.#settledId, id);
      this.#readAt.delete(id);
    }
  }
}
