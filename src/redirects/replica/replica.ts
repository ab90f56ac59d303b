/**
 * A node's copy of what redirects read of PostgreSQL: links, domains, deleted keys and blocks, in a SQLite file in the
 * data folder, which the same lookups, caches and lookup files read as in SQLite mode.
 *
 * 1. A thread copies the rows once, and then follows the changes of all nodes: `LISTEN` wakes it, and it polls in case a
 *    notification is lost. See link-source.ts for the order of changes.
 * 2. A transaction of this process with events or blocks resolves after the replica has it (transact.ts), so the next
 *    visit on this node sees the change. Other nodes see it within a second, and within 5 seconds if a notification is
 *    lost.
 * 3. Until the first copy is complete, lookups query PostgreSQL. Later they do not need it: while it is down, the last state
 *    redirects.
 * 4. A replica without room for all links is partial: it has all domains and blocks, and some links. A lookup that misses
 *    a link there asks PostgreSQL, and the thread copies what it found. Links leave in the order in which they came. Lookups
 *    trust what a partial replica has, since it follows all changes, and never what it lacks.
 * 5. Only the main process writes the replica; redirect workers read it.
 */
import { Thread } from "../../base/thread.ts";
import { minuteMs, secondMs } from "../../base/time.ts";
import type { FollowerStatus } from "./follower.ts";
import { checkEveryMs, isReplicaUsable } from "./lookup-replica.ts";
import type { LinkName } from "./visited-links.ts";

/** TABLE of the calls of the thread that follows. */
export type ReplicaVerbs = {
  start: { argument: { url: string; path: string; bytesMax: number }; result: undefined };
  /**
   * Resolves when the replica has every change from before this start, when its first copy has begun, or when the first
   * attempt has failed.
   */
  started: { argument: undefined; result: undefined };
  /** Resolves when the replica has every change that was committed before the call. */
  caughtUp: { argument: undefined; result: undefined };
  /** Copies links that lookups have missed in a partial replica. */
  copyVisited: { argument: readonly LinkName[]; result: undefined };
  status: { argument: undefined; result: FollowerStatus };
  close: { argument: undefined; result: undefined };
};

/** How long a change waits for the replica; afterwards it is answered, and visitors see it a little later. */
const catchUpMaxMs = secondMs;
/** How long the start waits for a current replica; afterwards it begins with the last state. */
const startMaxMs = 10 * secondMs;
const closeMaxMs = 3 * secondMs;
/** By then all processes have noticed that their lookups cannot use the replica. */
const unusedAfterMs = 5 * checkEveryMs;
const callMaxMs = minuteMs;

/** A running replica. */
export type Replica = {
  /** Milliseconds since the epoch. */
  openedAt: number;
  /** Resolves when the replica has every change committed before the call, or after a second. */
  caughtUp(): Promise<void>;
  /** Copies links that lookups have missed in a partial replica, if there is time. */
  copyVisited(names: readonly LinkName[]): Promise<void>;
  status(): Promise<FollowerStatus>;
  /**
   * When redirects last had every change, in milliseconds since the epoch; undefined since the start. Lookups that do not
   * use the replica query PostgreSQL.
   */
  changesSeenAt(): Promise<number | undefined>;
  /** True while lookups use the replica. */
  isUsable(): boolean;
  close(): Promise<void>;
};

/**
 * Starts the thread that keeps the replica at `path` of the database at `url`. Resolves when the replica is current, so
 * that visitors do not see the state of the last stop; without an answer of PostgreSQL after a bounded time.
 */
export async function openReplica(options: ReplicaVerbs["start"]["argument"]): Promise<Replica> {
  const thread = new Thread<ReplicaVerbs>(new URL("./replica-worker.ts", import.meta.url), callMaxMs, options);
  await thread.call("started", undefined, startMaxMs).catch(() => {});
  let unusedSince: number | undefined;
  return {
    openedAt: Date.now(),
    async caughtUp() {
      // A change that PostgreSQL has committed succeeded, whether or not the replica has it already.
      await thread.call("caughtUp", undefined, catchUpMaxMs).catch(() => {});
    },
    async copyVisited(names) {
      await thread.call("copyVisited", names);
    },
    status: () => thread.call("status", undefined),
    async changesSeenAt() {
      if (isReplicaUsable(options.path)) {
        unusedSince = undefined;
        return (await thread.call("status", undefined)).currentAt;
      }
      const now = Date.now();
      unusedSince ??= now;
      return now - unusedSince > unusedAfterMs ? now : undefined;
    },
    isUsable: () => isReplicaUsable(options.path),
    async close() {
      await thread.call("close", undefined, closeMaxMs).catch(() => {});
      thread.terminate();
    },
  };
}
