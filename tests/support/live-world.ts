import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../src/access/actor.ts";
import {
  type LiveBounds,
  type LiveEvents,
  liveBounds,
  openLiveEvents,
  type Subscription,
} from "../../src/analytics/live-events.ts";
import type { LiveBatch, LiveStream } from "../../src/analytics/live-stream.ts";
import type { Click } from "../../src/clicks/click.ts";
import type { ClickSelection } from "../../src/clicks/query.ts";
import { firstClickId } from "../../src/clicks/spool-format.ts";
import type { AppendedSince } from "../../src/clicks/store.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { randomClick, seededRandom } from "./clicks.ts";
import { openAccessWorld } from "./workspaces.ts";

const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
/** The sizes of the parts of a spool frame: its head, a click, and the values. */
const [headBytes, clickBytes, valueBytes] = [24, 44, 64];

/** Live events over a real store, with spools that the test names. */
export type LiveWorld = Awaited<ReturnType<typeof openLiveWorld>>;

/** Opens live events with an empty store and these spools. */
export async function openLiveWorld(spoolIds: string[], bounds: Partial<LiveBounds> = {}) {
  const access = await openAccessWorld("sqlite");
  const path = mkdtempSync(join(tmpdir(), "waypost-live-"));
  const store = await openDuckDbStore({ path: join(path, "clicks.duckdb"), threads: 1 });
  const owner = await access.newOwner();
  const random = seededRandom(20261121);
  const requests: AppendedSince[] = [];
  let open = 0;
  let onAllEnded = () => {};
  const live = openLiveEvents({
    db: access.db,
    pipeline: {
      cursor: store.cursor,
      appendedSince(arrival) {
        requests.push(arrival);
        return store.appendedSince(arrival);
      },
    },
    spoolIds: () => spoolIds,
    onCount(count) {
      open = count;
      if (count === 0) onAllEnded();
    },
    bounds: { ...liveBounds, ...bounds },
  });

  return {
    live,
    owner,
    spoolIds,
    /** The queries that the store received. */
    requests,
    openCount: () => open,
    /** Waits until no stream is open. */
    allEnded: () =>
      new Promise<void>((resolve) => {
        onAllEnded = resolve;
        if (open === 0) resolve();
      }),
    /** Stores a batch of clicks, one for each workspace, without notifying the streams; returns the clicks. */
    async store(spoolId: string, workspaceIds: readonly number[], fixed: Partial<Click> = {}) {
      const from = await store.cursor(spoolId);
      const clicks = workspaceIds.map((workspaceId, index) => {
        const id = firstClickId(spoolId, from + headBytes + index * clickBytes);
        return randomClick(random, day, { id, workspaceId, bot: "", ...fixed });
      });
      const to = from + headBytes + clicks.length * clickBytes + valueBytes;
      await store.insert({ spoolId, from, to }, clicks);
      return { clicks, step: { spoolId, from, to, workspaceIds: [...new Set(workspaceIds)] } };
    },
    /** Stores a batch and notifies the streams. */
    async arrive(spoolId: string, workspaceIds: readonly number[], fixed: Partial<Click> = {}): Promise<Click[]> {
      const { clicks, step } = await this.store(spoolId, workspaceIds, fixed);
      live.storeAdvanced(step);
      return clicks;
    },
    subscribe: (subscription: Partial<Subscription> = {}, selection: Partial<ClickSelection> = {}) =>
      subscribe(live, owner, subscription, selection),
    async close() {
      live.close();
      await store.close();
      await access.close();
      rmSync(path, { recursive: true });
    },
  };
}

function subscribe(
  live: LiveEvents,
  actor: Actor,
  subscription: Partial<Subscription>,
  selection: Partial<ClickSelection>,
): Promise<LiveStream> {
  const { workspaceId, userId } = actor;
  const whole: ClickSelection = { workspaceId, from: 0, to: Date.UTC(2100, 0), bots: "exclude", filters: [] };
  const listener = { actor, selection: { ...whole, ...selection } };
  return live.open({ workspaceId, userId, authorize: () => Promise.resolve(listener), ...subscription });
}

/** A delivered click and the token after it. */
type DeliveredEvent = { id: string; resumeToken: string };

/** The next batch, as clicks. Throws when the stream has ended. */
export async function nextBatch(stream: LiveStream): Promise<{ events: DeliveredEvent[]; resumeToken: string }> {
  const part: LiveBatch | undefined = await stream.next();
  if (part === undefined) throw new Error("The stream has ended.");
  return {
    events: part.events.map(({ event, resumeToken }) => ({ id: event.click.id, resumeToken })),
    resumeToken: part.resumeToken,
  };
}

/** Reads until a number of clicks was delivered. */
export async function eventsUpTo(stream: LiveStream, count: number): Promise<DeliveredEvent[]> {
  const events: DeliveredEvent[] = [];
  while (events.length < count) events.push(...(await nextBatch(stream)).events);
  return events;
}
