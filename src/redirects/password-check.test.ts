import { beforeAll, expect, test } from "bun:test";
import { checkingMax, checkingWaitingMax, openPasswordChecker, siteAttemptsMax } from "./password-check.ts";

const address = "203.0.113.7";
let link: { id: string; passwordHash: string };

beforeAll(async () => {
  // As cheap as argon2id gets; which parameters a hash has does not matter here.
  const options = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
  link = { id: "link_1", passwordHash: await Bun.password.hash("sesame", options) };
});

test("right passwords are accepted, however many come from one address", async () => {
  const checkPassword = openPasswordChecker();
  for (let visit = 0; visit < 30; visit++) {
    expect(await checkPassword(link, { password: "sesame", address }, 1_000)).toEqual({ isUnlocked: true });
  }
});

test("after ten wrong passwords no further one is checked for a minute", async () => {
  const checkPassword = openPasswordChecker();
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(await checkPassword(link, { password: String(attempt), address }, 1_000)).toEqual({
      isUnlocked: false,
      error: "wrong",
    });
    if (attempt < 9)
      expect(await checkPassword(link, { password: "sesame", address }, 1_000)).toEqual({ isUnlocked: true });
  }

  expect(await checkPassword(link, { password: "sesame", address }, 60_999)).toEqual({
    isUnlocked: false,
    error: "tooMany",
  });
  expect(await checkPassword(link, { password: "sesame", address }, 61_000)).toEqual({ isUnlocked: true });
});

test("addresses of one IPv6 network, which may all be one client's, share their attempts", async () => {
  const checkPassword = openPasswordChecker();
  for (let attempt = 0; attempt < 10; attempt++)
    await checkPassword(link, { password: "guess", address: `2001:db8:1:2::${attempt}` }, 1_000);

  expect(await checkPassword(link, { password: "sesame", address: "2001:db8:1:2:3:4:5:6" }, 1_000)).toEqual({
    isUnlocked: false,
    error: "tooMany",
  });
  expect(await checkPassword(link, { password: "sesame", address: "2001:db8:1:3::1" }, 1_000)).toEqual({
    isUnlocked: true,
  });
});

test("concurrent guesses are limited to ten too", async () => {
  const checkPassword = openPasswordChecker();

  // Only one guess of a network waits at a time, so the others must retry.
  const errors: (string | undefined)[] = [];
  for (let wave = 0; wave < 5; wave++) {
    const guesses = Array.from({ length: 6 }, () => checkPassword(link, { password: "guess", address }, 1_000));
    for (const { error } of await Promise.all(guesses)) errors.push(error);
  }

  expect(errors.filter((error) => error === "wrong")).toHaveLength(10);
});

test("concurrent visitors wait for each other, and only a flood gets 503", async () => {
  const checkPassword = openPasswordChecker();
  const slots = checkingMax + checkingWaitingMax;

  const flood = Array.from({ length: slots + 5 }, (_, visitor) =>
    checkPassword(link, { password: "sesame", address: `10.0.0.${visitor}` }, 1_000),
  );

  const outcomes = (await Promise.all(flood)).map(({ isUnlocked, error }) => (isUnlocked ? "opened" : error));
  expect(outcomes).toEqual([...Array(slots).fill("opened"), ...Array(5).fill("busy")]);
});

test("a network that floods the queue with right passwords occupies one waiting slot; a visitor from elsewhere gets in", async () => {
  const checkPassword = openPasswordChecker();

  const flood = Array.from({ length: 60 }, (_, host) =>
    checkPassword(
      { ...link, id: `own_${host}` },
      { password: "sesame", address: `2001:db8:1:${host.toString(16)}::1` },
      1_000,
    ),
  );
  const visitor = await checkPassword(link, { password: "sesame", address }, 1_000);

  const outcomes = (await Promise.all(flood)).map(({ isUnlocked, error }) => (isUnlocked ? "opened" : error));
  expect(visitor).toEqual({ isUnlocked: true });
  expect(outcomes.filter((one) => one === "opened")).toHaveLength(checkingMax + 1);
  expect(outcomes.filter((one) => one === "busy")).toHaveLength(60 - checkingMax - 1);
});

test("wrong passwords of one network count across all links, and do not affect other networks", async () => {
  const checkPassword = openPasswordChecker();
  const attempt = (index: number, from = "2001:db8:1:2::1") =>
    checkPassword({ ...link, id: `link_${index}` }, { password: "guess", address: from }, 1_000);

  for (let index = 0; index < siteAttemptsMax; index++) expect((await attempt(index)).error).toBe("wrong");

  expect((await attempt(siteAttemptsMax)).error).toBe("tooMany");
  expect((await attempt(siteAttemptsMax, "2001:db8:1:9::1")).error).toBe("tooMany");
  expect((await attempt(siteAttemptsMax, "2001:db8:2:2::1")).error).toBe("wrong");
});

test("a waiting visitor who disconnects frees the slot for the next one of the network", async () => {
  const checkPassword = openPasswordChecker();
  const disconnection = new AbortController();
  const running = Array.from({ length: checkingMax }, () =>
    checkPassword(link, { password: "sesame", address }, 1_000),
  );

  const abandoned = checkPassword(link, { password: "sesame", address, signal: disconnection.signal }, 1_000);
  disconnection.abort();
  const next = checkPassword(link, { password: "sesame", address }, 1_000);

  expect((await abandoned).isUnlocked).toBe(false);
  expect((await next).isUnlocked).toBe(true);
  await Promise.all(running);
});
