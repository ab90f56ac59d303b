import { afterEach, describe, expect, test } from "bun:test";
import { eventsUpTo, type LiveWorld, nextBatch, openLiveWorld } from "../../tests/support/live-world.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { Problem } from "../base/problem.ts";
import { hourMs } from "../base/time.ts";
import type { Click } from "../clicks/click.ts";
import { positionOfClick } from "../clicks/spool-format.ts";
import type { LiveBounds } from "./live-events.ts";
import type { LiveStream } from "./live-stream.ts";
import { parseResumeToken } from "./resume-token.ts";

const first = "0f8fad5bd9cb469fa16570867728950e";
const second = "ff8fad5bd9cb469fa16570867728950e";
const foreign = 999;
/** Equal texts, so that many clicks are stored quickly. */
const alike: Partial<Click> = {
  ...{ url: "https://example.com/", city: "", refererUrl: "" },
  ...{ utm_source: "", utm_medium: "", utm_campaign: "", utm_term: "", utm_content: "" },
};
/** Limits that no test reaches unless it sets others. */
const quiet: Partial<LiveBounds> = { heartbeatMs: hourMs, recheckMs: hourMs, readTimeoutMs: hourMs };

let world: LiveWorld;
afterEach(() => world.close());

async function openWorld(bounds: Partial<LiveBounds> = {}, spoolIds = [first, second]): Promise<void> {
  world = await openLiveWorld(spoolIds, { ...quiet, ...bounds });
}

/** The workspace ids of `count` clicks of the owner's workspace. */
function ownIds(count: number): number[] {
  return new Array<number>(count).fill(world.owner.workspaceId);
}

/** A stream after its first batch, which contains only its token. */
async function begun(...options: Parameters<LiveWorld["subscribe"]>): Promise<LiveStream> {
  const stream = await world.subscribe(...options);
  expect((await nextBatch(stream)).events).toEqual([]);
  return stream;
}

function idsOf(clicks: readonly { id: string }[]): string[] {
  return clicks.map(({ id }) => id);
}

describe("a stream", () => {
  test("delivers the clicks stored after it began, in the order of each spool, and no older or foreign ones", async () => {
    await openWorld();
    await world.arrive(first, ownIds(5));
    const stream = await begun();

    const clicks = await world.arrive(first, [foreign, ...ownIds(3), foreign]);
    clicks.push(...(await world.arrive(second, ownIds(2))), ...(await world.arrive(first, ownIds(1))));

    const { workspaceId } = world.owner;
    const events = await eventsUpTo(stream, 6);
    const expected = idsOf(clicks.filter((click) => click.workspaceId === workspaceId));
    expect(idsOf(events).sort()).toEqual(expected.sort());
    for (const start of [first, second].map((spoolId) => spoolId.slice(0, 8))) {
      const ofSpool = idsOf(events).filter((id) => id.startsWith(start));
      expect(ofSpool).toEqual(ofSpool.toSorted());
    }
  });

  test("resumed after any event, delivers every later click once, including clicks stored while it was closed", async () => {
    await openWorld({ batchEventsMax: 7 });
    const stream = await world.subscribe();
    const { resumeToken: beginning } = await nextBatch(stream);
    for (let batch = 0; batch < 2; batch++) {
      await world.arrive(first, [...ownIds(10), foreign]);
      await world.arrive(second, ownIds(3));
    }
    const events = await eventsUpTo(stream, 26);
    stream.end();
    const { clicks: missed } = await world.store(second, ownIds(5));

    for (const [index, resumeToken] of [beginning, ...events.map(({ resumeToken }) => resumeToken)].entries()) {
      const resumed = await begun({ resumeToken: parseResumeToken("mark", resumeToken) });
      const rest = await eventsUpTo(resumed, 26 - index + 5);
      resumed.end();
      const expected = [...idsOf(events.slice(index)), ...idsOf(missed)];
      expect({ index, ids: idsOf(rest).sort() }).toEqual({ index, ids: expected.sort() });
    }
  });

  test("with a token far behind, continues in batches of limited size and finds a rare click at once", async () => {
    await openWorld({ batchEventsMax: 50 });
    const stream = await world.subscribe();
    const { resumeToken } = await nextBatch(stream);
    stream.end();
    const clicks: Click[] = [];
    for (let batch = 0; batch < 10; batch++) {
      clicks.push(...(await world.arrive(first, ownIds(20))));
      await world.arrive(first, new Array<number>(10_000).fill(foreign), alike);
    }

    const resumed = await begun({ resumeToken: parseResumeToken("mark", resumeToken) });
    const parts: string[][] = [];
    while (parts.flat().length < clicks.length) parts.push(idsOf((await nextBatch(resumed)).events));

    expect(parts.flat()).toEqual(idsOf(clicks));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(50);
    expect(Math.max(...world.requests.map(({ range }) => range.to - range.from))).toBeLessThan(10 * 1024 ** 2);
  });

  test("delivers the clicks of its selection", async () => {
    await openWorld();
    const stream = await begun({}, { filters: [{ dimension: "country", values: ["DE"], isExcluded: false }] });

    await world.arrive(first, ownIds(3), { country: "US" });
    const [expected] = await world.arrive(first, ownIds(1), { country: "DE" });
    await world.arrive(first, ownIds(1), { country: "DE", bot: "search" });

    expect(idsOf(await eventsUpTo(stream, 1))).toEqual([expected?.id ?? ""]);
  });

  test("of a workspace without new clicks advances without a query", async () => {
    await openWorld();
    const stream = await begun();

    for (let batch = 0; batch < 20; batch++) await world.arrive(first, [foreign, foreign]);
    const clicks = await world.arrive(first, ownIds(1));

    expect(idsOf(await eventsUpTo(stream, 1))).toEqual(idsOf(clicks));
    expect(world.requests.length).toBe(1);
  });

  test("misses no click when a step is not notified, or is notified twice", async () => {
    await openWorld();
    const stream = await begun();

    const untold = await world.store(first, ownIds(2));
    const { clicks, step } = await world.store(first, ownIds(1));
    for (let time = 0; time < 3; time++) world.live.storeAdvanced(step);

    expect(idsOf(await eventsUpTo(stream, 3))).toEqual(idsOf([...untold.clicks, ...clicks]));
  });
});

describe("a spool", () => {
  test("created while a stream is open, or after its token, is delivered from its beginning", async () => {
    await openWorld({}, [first]);
    const stream = await world.subscribe();
    const { resumeToken } = await nextBatch(stream);

    world.spoolIds.push(second);
    const clicks = await world.arrive(second, ownIds(2));

    expect(idsOf(await eventsUpTo(stream, 2))).toEqual(idsOf(clicks));
    const resumed = await begun({ resumeToken: parseResumeToken("mark", resumeToken) });
    expect(idsOf(await eventsUpTo(resumed, 2))).toEqual(idsOf(clicks));
  });

  test("that was removed is delivered to its end, and then leaves the token", async () => {
    await openWorld();
    const stream = await world.subscribe();
    const { resumeToken } = await nextBatch(stream);
    stream.end();
    const clicks = await world.arrive(second, ownIds(2));
    world.spoolIds.pop();

    const resumed = await begun({ resumeToken: parseResumeToken("mark", resumeToken) });
    const events = await eventsUpTo(resumed, 2);

    expect(idsOf(events)).toEqual(idsOf(clicks));
    const { resumeToken: later } = await nextBatch(
      await world.subscribe({ resumeToken: parseResumeToken("mark", events[1]?.resumeToken ?? "") }),
    );
    expect([events[1]?.resumeToken.includes(second), later.includes(second)]).toEqual([true, false]);
  });

  test("whose store was restored from an older copy repeats nothing", async () => {
    await openWorld({}, [first]);
    const ahead = parseResumeToken("mark", `${first}.1000`);
    const stream = await begun({ resumeToken: ahead });

    await world.arrive(first, ownIds(5));
    const clicks = await world.arrive(first, ownIds(30));

    const behind = idsOf(clicks).filter((id) => positionOfClick(id) >= 1_000);
    expect(behind.length).toBeGreaterThan(0);
    expect(idsOf(await eventsUpTo(stream, behind.length))).toEqual(behind);
  });
});

describe("a stream's bounds", () => {
  test("it sends a heartbeat with its token when nothing happens", async () => {
    await openWorld({ heartbeatMs: 5 });
    const stream = await begun();
    await world.arrive(first, [foreign]);

    const beats = [await nextBatch(stream), await nextBatch(stream)];

    expect(beats.map(({ events }) => events)).toEqual([[], []]);
    expect(beats[1]?.resumeToken).toContain(`${first}.${24 + 44 + 64}`);
  });

  test("it ends when its client loses access, and throws the reason", async () => {
    await openWorld({ recheckMs: 5 });
    let isRevoked = false;
    const selection = { workspaceId: 1, from: 0, to: 1, bots: "exclude", filters: [] } as const;
    const stream = await world.subscribe({
      async authorize() {
        if (isRevoked) throw new Problem("unauthorized", "This API key is unknown, expired or revoked.");
        return { actor: world.owner, selection };
      },
    });
    await nextBatch(stream);

    isRevoked = true;

    expect(await problemOf(stream.next())).toMatchObject({ code: "unauthorized" });
    expect(world.openCount()).toBe(0);
    expect(await stream.next()).toBeUndefined();
  });

  test("it ends after its lifetime", async () => {
    await openWorld({ lifetimeMs: 20 });
    const stream = await world.subscribe();
    // The first batch has only the token, unless the stream's lifetime is over.
    while ((await stream.next()) !== undefined);
    expect(world.openCount()).toBe(0);
  });

  test("it ends when its client reads nothing", async () => {
    await openWorld({ readTimeoutMs: 5 });
    const idle = await world.subscribe();
    await world.allEnded();
    expect(await idle.next()).toBeUndefined();
  });

  test("streams are limited per workspace and in all, and an ended stream frees its place", async () => {
    await openWorld({ streamsMax: 3, workspaceStreamsMax: 2 });
    const streams = [await begun(), await begun()];

    expect(await problemOf(world.subscribe())).toMatchObject({ code: "rate_limit_exceeded" });
    const other = await world.subscribe({ workspaceId: foreign });
    expect(await problemOf(world.subscribe({ workspaceId: foreign }))).toMatchObject({ code: "unavailable" });
    expect(world.openCount()).toBe(3);

    other.end();
    for (const stream of streams) stream.end();
    expect(world.openCount()).toBe(0);
    await begun();
  });

  test("streams are limited per user across all workspaces", async () => {
    await openWorld({ userStreamsMax: 2 });
    await begun();
    await world.subscribe({ workspaceId: foreign });

    expect(await problemOf(world.subscribe({ workspaceId: foreign + 1 }))).toMatchObject({
      code: "rate_limit_exceeded",
    });
    await world.subscribe({ userId: "user_other" });
  });

  test("a stream that cannot begin does not count", async () => {
    await openWorld();
    const refused = new Problem("not_found", "No link was found here with that identifier.");

    expect(await problemOf(world.subscribe({ authorize: () => Promise.reject(refused) }))).toMatchObject({
      code: "not_found",
    });
    expect(world.openCount()).toBe(0);
  });

  test("closing ends all streams at once and refuses new ones", async () => {
    await openWorld();
    const waiting = [await begun(), await begun()].map((stream) => stream.next());

    world.live.close();

    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await problemOf(world.subscribe())).toMatchObject({ code: "unavailable" });
  });
});
