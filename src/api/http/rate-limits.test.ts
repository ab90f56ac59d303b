import { expect, test } from "bun:test";
import { Problem } from "../../base/problem.ts";
import { type LimitedCaller, RateLimits, type RefusedBy } from "./rate-limits.ts";

/** Limits with a manual clock; keys that begin with "good" are valid. */
function opened(perMinute: number, perWorkspace?: number) {
  const clock = { now: 1_000_000, lookUps: 0 };
  const refusedBy: RefusedBy[] = [];
  const limits = new RateLimits(
    { user: perMinute, workspace: perWorkspace },
    () => clock.now,
    (by) => refusedBy.push(by),
  );
  async function call(key: string, address = "192.0.2.1", caller: Partial<LimitedCaller> = {}) {
    const headers: Record<string, string> = {};
    try {
      const found = await limits.admit({ key, address, headers }, async () => {
        clock.lookUps++;
        return key.startsWith("good") ? { userId: key, workspaceId: 1, ...caller } : undefined;
      });
      return { outcome: found === undefined ? "unknown" : "ok", headers };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { outcome: `${error.code} ${error.retryAfterSeconds}`, headers };
    }
  }
  return { clock, call, limits, refusedBy };
}

test("the bucket refills evenly: one request every minute / limit, and all after a minute", async () => {
  const { clock, call } = opened(6);
  for (let calls = 0; calls < 6; calls++) expect((await call("good")).outcome).toBe("ok");

  const empty = await call("good");
  clock.now += 9_999;
  const early = await call("good");
  clock.now += 1;
  const back = await call("good");
  clock.now += 60_000;
  const full = await call("good");

  expect(empty).toMatchObject({
    outcome: "rate_limit_exceeded 10",
    headers: { "RateLimit-Limit": "6", "RateLimit-Remaining": "0", "RateLimit-Reset": "60" },
  });
  expect([early.outcome, back.outcome]).toEqual(["rate_limit_exceeded 1", "ok"]);
  expect(full.headers).toMatchObject({ "RateLimit-Remaining": "5", "RateLimit-Reset": "10" });
});

test("a user's keys share one bucket, regardless of the number of other callers", async () => {
  const { call, limits } = opened(6);
  const user = { userId: "user" };
  const others = (from: number) => {
    // More users than the cache is guaranteed to hold, and fewer than its maximum.
    for (let other = from; other < from + 20_001; other++) limits.trust(`token ${other}`, `user ${other}`);
  };
  for (let calls = 0; calls < 5; calls++) await call("good one", "192.0.2.1", user);

  others(0);
  const last = await call("good one", "192.0.2.1", user);
  others(20_001);
  const second = await call("good two", "192.0.2.1", user);

  expect([last.outcome, second.outcome]).toEqual(["ok", "rate_limit_exceeded 10"]);
});

test("setting the clock back adds no requests", async () => {
  const { clock, call } = opened(2);
  await call("good");
  await call("good");

  clock.now -= 600_000;

  expect((await call("good")).outcome).toBe("rate_limit_exceeded 30");
});

test("a request beyond a limit causes no lookup", async () => {
  const { clock, call } = opened(2);
  for (let calls = 0; calls < 50; calls++) await call("good");
  for (let calls = 0; calls < 50; calls++) await call(`wrong ${calls}`, "192.0.2.2");

  expect(clock.lookUps).toBe(3);
});

test("a revoked key counts as an unknown key from its next request on", async () => {
  const clock = { isRevoked: false };
  const limits = new RateLimits(
    { user: 10 },
    () => 0,
    () => {},
  );
  const actor = { userId: "user_1", workspaceId: 1 };
  const call = () =>
    limits.admit({ key: "k", address: "a", headers: {} }, async () => (clock.isRevoked ? undefined : actor));

  expect(await call()).toBe(actor);
  clock.isRevoked = true;
  expect(await call()).toBeUndefined();
  expect(await call()).toBeUndefined();
  expect(call()).rejects.toMatchObject({ code: "rate_limit_exceeded" });
});

test("simultaneous requests with a new key all count", async () => {
  const { call } = opened(30);

  const outcomes = await Promise.all(Array.from({ length: 3 }, () => call("good")));

  expect(outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  expect(outcomes.at(-1)?.headers).toMatchObject({ "RateLimit-Remaining": "27" });
});

test("simultaneous requests with a new valid key do not count as invalid keys", async () => {
  const { call } = opened(30);

  const outcomes = await Promise.all(Array.from({ length: 20 }, () => call("good")));

  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
});

test("simultaneous requests with one invalid key each count as an invalid key", async () => {
  const { clock, call } = opened(30);

  const outcomes = await Promise.all(Array.from({ length: 20 }, () => call("wrong")));

  expect(outcomes.filter(({ outcome }) => outcome === "unknown").length).toBe(3);
  expect(clock.lookUps).toBe(3);
});

test("a new access token does not count as an invalid key, even from an address with many invalid keys", async () => {
  const { call, limits } = opened(10);
  for (let tries = 0; tries < 3; tries++) await call(`wrong ${tries}`);

  const unexpected = await call("good, from before a restart");
  limits.trust("good token", "user_1");
  const expected = await call("good token");

  expect([unexpected.outcome, expected.outcome]).toEqual([expect.stringMatching("rate_limit_exceeded"), "ok"]);
});

test("all keys of a user share one bucket, separate from those of other users", async () => {
  const { call, refusedBy } = opened(10);
  const ann = { userId: "ann" };

  for (let key = 0; key < 10; key++) expect((await call(`good ${key}`, undefined, ann)).outcome).toBe("ok");

  expect((await call("good 10", undefined, ann)).outcome).toMatch("rate_limit_exceeded");
  expect((await call("good of bob", undefined, { userId: "bob" })).outcome).toBe("ok");
  expect(refusedBy).toEqual(["key"]);
});

test("a user's sessions have a separate bucket, so that scripts and the dashboard do not block each other", async () => {
  const { call, refusedBy } = opened(5);
  const session = { userId: "ann", sessionId: "session_1" };
  for (let calls = 0; calls < 6; calls++) await call("good key", undefined, { userId: "ann" });

  const inDashboard = [];
  for (let calls = 0; calls < 6; calls++) inDashboard.push(await call(`good token ${calls}`, undefined, session));

  expect(inDashboard.map(({ outcome }) => outcome.split(" ")[0])).toEqual([
    ...Array(5).fill("ok"),
    "rate_limit_exceeded",
  ]);
  expect(refusedBy).toEqual(["key", "session"]);
});

test("a workspace has a bucket in addition to those of its users, and the headers describe the one with fewer requests left", async () => {
  const { call, refusedBy } = opened(10, 12);
  for (let calls = 0; calls < 10; calls++) await call("good a", undefined, { userId: "a" });

  const second = await call("good b", undefined, { userId: "b" });
  await call("good b", undefined, { userId: "b" });
  const third = await call("good c", undefined, { userId: "c" });
  const elsewhere = await call("good c", undefined, { userId: "c", workspaceId: 2 });

  expect(second).toMatchObject({ outcome: "ok", headers: { "RateLimit-Limit": "12", "RateLimit-Remaining": "1" } });
  expect(third.outcome).toBe("rate_limit_exceeded 5");
  expect(elsewhere).toMatchObject({ outcome: "ok", headers: { "RateLimit-Limit": "10", "RateLimit-Remaining": "8" } });
  expect(refusedBy).toEqual(["workspace"]);
});

test("an operation can cost several requests, at most a full bucket, and takes none if there are too few", async () => {
  const { clock, call, limits } = opened(10);
  const caller = { userId: "good", workspaceId: 1 };
  const headers: Record<string, string> = {};
  await call("good");

  expect(() => limits.spend(caller, 100, headers)).toThrow("together can make 10 requests");
  const kept = headers["RateLimit-Remaining"];
  clock.now += 6_000;
  limits.spend(caller, 100, headers);

  expect([kept, headers["RateLimit-Remaining"]]).toEqual(["9", "0"]);
});
