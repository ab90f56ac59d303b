/**
 * Live events: streams of clicks that follow the store.
 *
 * 1. A stream follows the positions of the spools, not time: a click that waited in a spool for hours is new when it is
 *    stored. A stream delivers each click of its selection once, in the order of its spool.
 * 2. The reader that moves the store's cursor notifies the streams; they do not poll. A stream whose workspace has no
 *    clicks in the stored range advances without a query.
 * 3. A stream delivers one batch at a time, on request. So a slow client delays only its own stream. A client that
 *    reads nothing is disconnected and can resume with its token.
 * 4. All streams together send the store one query at a time, so that a report waits for one of them at most. Workspaces take
 *    turns, so that streams that read old clicks delay those of other workspaces by one query each.
 */

import { requireStreamCapacity, type StreamLimits, type StreamOwner } from "../access/stream-capacity.ts";
import { Problem } from "../base/problem.ts";
import { Semaphore } from "../base/semaphore.ts";
import { hourMs, minuteMs, secondMs } from "../base/time.ts";
import type { Click } from "../clicks/click.ts";
import type { StoredRange } from "../clicks/ingest.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { AppendedSince } from "../clicks/store.ts";
import type { Db } from "../database/database.ts";
import { describeClicks } from "./list-events.ts";
import { type Listener, LiveStream, type StreamBounds } from "./live-stream.ts";
import type { ResumeToken } from "./resume-token.ts";

/** TABLE of limits. Each waiting stream takes three file descriptors, and some milliseconds of the store per batch. */
export const liveBounds: LiveBounds = {
  streamsMax: 300,
  workspaceStreamsMax: 30,
  userStreamsMax: 30,
  batchEventsMax: 100,
  heartbeatMs: 15 * secondMs,
  recheckMs: 10 * secondMs,
  lifetimeMs: hourMs,
  readTimeoutMs: minuteMs,
};

/** The most streams, and the limits of each stream. */
export type LiveBounds = StreamBounds & StreamLimits;

/** The dependencies of live events. */
type LiveEventsDeps = {
  db: Db;
  pipeline: Pick<Pipeline, "cursor" | "appendedSince">;
  /** The spools that the store reads. */
  spoolIds(): string[];
  /** Called with the number of streams whenever it changes. */
  onCount(open: number): void;
  bounds?: LiveBounds;
};

/** The parameters of a stream. */
export type Subscription = StreamOwner & {
  /** Returns the actor and selection; called at the beginning and every recheckMs. An error ends the stream. */
  authorize(): Promise<Listener>;
  /**
   * Delivers everything stored after this token first; without one, the stream begins with the clicks stored from now
   * on.
   */
  resumeToken?: ResumeToken | undefined;
};

/** See the top of this file. */
export type LiveEvents = {
  /**
   * Opens a stream. Throws "rate_limit_exceeded" beyond the limits of the workspace or user, "unavailable" beyond the
   * limit of all or while the store cannot answer, and the errors of `authorize`.
   */
  open(subscription: Subscription): Promise<LiveStream>;
  /** Call this after each step that moved the store's cursor in a spool, in order. */
  storeAdvanced(step: StoredRange): void;
  /** True while a stream is open. */
  readonly isFollowed: boolean;
  /** Ends every stream and refuses new ones. */
  close(): void;
};

/** Opens live events without a stream. */
export function openLiveEvents(deps: LiveEventsDeps): LiveEvents {
  const bounds = deps.bounds ?? liveBounds;
  const streams = new Map<LiveStream, StreamOwner>();
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: bounds.streamsMax, takesTurns: true });
  let isClosed = false;

  function remove(stream: LiveStream): void {
    if (streams.delete(stream)) deps.onCount(streams.size);
  }

  return {
    async open({ workspaceId, userId, authorize, resumeToken }) {
      if (isClosed) throw new Problem("unavailable", "The service is stopping; try again in a few seconds.");
      requireStreamCapacity(bounds, [...streams.values()], { workspaceId, userId });
      const stream: LiveStream = new LiveStream({
        ...{ resumeToken, authorize, bounds },
        spoolIds: deps.spoolIds,
        cursor: deps.pipeline.cursor,
        read: (request) => readInTurn(semaphore, deps.pipeline, request),
        describe: (actor, clicks) => describeClicks(deps, actor, clicks),
        onEnd: () => remove(stream),
      });
      streams.set(stream, { workspaceId, userId });
      deps.onCount(streams.size);
      await stream.begin();
      return stream;
    },
    storeAdvanced(step) {
      for (const [stream, { workspaceId }] of streams) stream.advanced(step, isOf(step, workspaceId));
    },
    get isFollowed() {
      return streams.size > 0;
    },
    close() {
      isClosed = true;
      for (const stream of [...streams.keys()]) stream.end();
    },
  };
}

function isOf({ workspaceIds }: StoredRange, workspaceId: number): boolean {
  return workspaceIds === "any" || workspaceIds.includes(workspaceId);
}

async function readInTurn(
  semaphore: Semaphore,
  pipeline: LiveEventsDeps["pipeline"],
  request: AppendedSince,
): Promise<Click[]> {
  const party = String(request.selection.workspaceId);
  const answer = await semaphore.run(() => pipeline.appendedSince(request), { party });
  // Each stream has at most one query waiting, so the queue has room for all of them.
  if (answer.kind !== "done")
    throw new Problem("unavailable", "Too many live streams are waiting for their events; try again in a few seconds.");
  return answer.value;
}
