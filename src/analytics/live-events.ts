/**
 * Clicks as they come: streams that follow the store.
 *
 * 1. A stream follows the positions of the spools, not time: a click that was kept in a spool for hours is new when it
 *    is stored. Each click that its selection keeps is handed over once, in the order of its spool.
 * 2. Whoever moves the store's cursor says so; nobody asks the store in between. A stream whose workspace has no part
 *    in what was stored goes along without a question.
 * 3. A stream hands over one part at a time, when it is asked for the next. So a slow client holds back nothing but its
 *    own position, and one that takes nothing is let go; it resumes with its mark.
 * 4. All streams together ask the store one question at a time, so that reports wait for one of them at most.
 */

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

/** TABLE of the bounds. Each waiting stream takes three descriptors, and some milliseconds of the store a part. */
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

/** How many streams there may be, in all, of one workspace and of one user in all workspaces; and the bounds of each. */
export type LiveBounds = StreamBounds & { streamsMax: number; workspaceStreamsMax: number; userStreamsMax: number };

/** What live events work with. */
type LiveEventsDeps = {
  db: Db;
  pipeline: Pick<Pipeline, "cursor" | "appendedSince">;
  /** The spools whose clicks come to the store. */
  spoolIds(): string[];
  /** Told how many streams there are, whenever that changes. */
  onCount(open: number): void;
  bounds?: LiveBounds;
};

/** On whose account a stream counts. */
type StreamOwner = { workspaceId: number; userId: string };

/** What a stream is opened for. */
export type Subscription = StreamOwner & {
  /** Who listens to what: asked at the beginning and every renewMs. What it throws ends the stream. */
  authorize(): Promise<Listener>;
  /** Everything behind it that is stored comes first; without one, the stream begins with what is stored from now on. */
  resumeToken?: ResumeToken | undefined;
};

/** See the top of this file. */
export type LiveEvents = {
  /**
   * Opens a stream. Throws "rate_limit_exceeded" when the workspace or the user has as many as it may, "unavailable" when all
   * together are too many or the store cannot answer, and what `listen` throws.
   */
  open(subscription: Subscription): Promise<LiveStream>;
  /** To be told of each step by which the store's cursor in a spool has moved, in order. */
  storeAdvanced(step: StoredRange): void;
  /** Ends every stream, and opens no more. */
  close(): void;
};

/** Opens live events, without a stream. */
export function openLiveEvents(deps: LiveEventsDeps): LiveEvents {
  const bounds = deps.bounds ?? liveBounds;
  const streams = new Map<LiveStream, StreamOwner>();
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: bounds.streamsMax });
  let isClosed = false;

  function remove(stream: LiveStream): void {
    if (streams.delete(stream)) deps.onCount(streams.size);
  }

  return {
    async open({ workspaceId, userId, authorize, resumeToken }) {
      if (isClosed) throw new Problem("unavailable", "The service is stopping; try again in a few seconds.");
      refuseTooMany(bounds, [...streams.values()], { workspaceId, userId });
      const stream: LiveStream = new LiveStream({
        ...{ resumeToken, authorize, bounds },
        spoolIds: deps.spoolIds,
        cursor: deps.pipeline.cursor,
        read: (asked) => readInTurn(semaphore, deps.pipeline, asked),
        describe: (actor, clicks) => describeClicks(deps, actor, clicks),
        onEnd: () => remove(stream),
      });
      streams.set(stream, { workspaceId, userId });
      deps.onCount(streams.size);
      await stream.begin();
      return stream;
    },
    storeAdvanced(step) {
      for (const [stream, { workspaceId }] of streams) stream.advanced(step, step.workspaceIds.includes(workspaceId));
    },
    close() {
      isClosed = true;
      for (const stream of [...streams.keys()]) stream.end();
    },
  };
}

function refuseTooMany(
  { streamsMax, workspaceStreamsMax, userStreamsMax }: LiveBounds,
  open: readonly StreamOwner[],
  { workspaceId, userId }: StreamOwner,
) {
  if (open.filter((owner) => owner.userId === userId).length >= userStreamsMax) {
    const message = `A user may have ${userStreamsMax} live streams at a time; end one of them.`;
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  if (open.filter((owner) => owner.workspaceId === workspaceId).length >= workspaceStreamsMax) {
    const message = `A workspace may have ${workspaceStreamsMax} live streams at a time; end one of them.`;
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  if (open.length >= streamsMax) {
    const message = "There are as many live streams as this service can have; try again in a while.";
    throw new Problem("unavailable", message, { retryAfterSeconds });
  }
}

/** A stream mostly ends when somebody leaves a page. */
const retryAfterSeconds = 30;

async function readInTurn(
  semaphore: Semaphore,
  pipeline: LiveEventsDeps["pipeline"],
  asked: AppendedSince,
): Promise<Click[]> {
  const answer = await semaphore.run(() => pipeline.appendedSince(asked));
  // Each stream waits for one answer at most, so there is a place for all of them.
  if (answer.kind !== "done") throw new Problem("unavailable", "Too many live streams wait for their events.");
  return answer.value;
}
