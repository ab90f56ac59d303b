import { describe, expect, test } from "bun:test";
import { problemOf } from "../../tests/support/problem-of.ts";
import { Problem } from "../base/problem.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "../base/time.ts";
import { type Attempt, type Attempts, openAttempts } from "./attempts.ts";

const anywhere = "192.0.2.1";

/** Attempts of one kind with a manual clock; each returns the code of its refusal. */
function opened(kind: keyof Attempts) {
  const clock = { now: 1_000_000 };
  const attempts = openAttempts(() => clock.now);
  function attempt(by: Partial<Attempt>, at: keyof Attempts = kind): string {
    try {
      attempts[at].take({ address: anywhere, account: "ada@example.com", ...by });
      return "admitted";
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return `${error.code} ${error.retryAfterSeconds}`;
    }
  }
  return { clock, attempts, attempt };
}

/** Attempts until one is refused; returns the number of admitted ones and the code of the refusal. */
function untilRefused(attempt: (index: number) => string): [number, string] {
  for (let admitted = 0; admitted < 100; admitted++) {
    const outcome = attempt(admitted);
    if (outcome !== "admitted") return [admitted, outcome];
  }
  throw new Error("A hundred attempts were admitted.");
}

/** TABLE of limits: the number at once, and the time until one more is allowed. */
const limits: [keyof Attempts, "account" | "address", number, number][] = [
  ["signIn", "account", 10, minuteMs],
  ["signIn", "address", 20, 30 * secondMs],
  ["ownPassword", "account", 10, minuteMs],
  ["share", "account", 30, 20 * secondMs],
  ["share", "address", 20, 30 * secondMs],
  ["passwordReset", "account", 3, 20 * minuteMs],
  ["passwordReset", "address", 10, hourMs / 10],
  ["signUp", "account", 3, 20 * minuteMs],
  ["emailChange", "account", 5, 12 * minuteMs],
  ["passkey", "account", 20, 30 * secondMs],
  ["invitedAddress", "account", 5, dayMs / 5],
];

describe("attempts", () => {
  test.each(limits)(
    "of the kind %s by one %s are limited to %d at once, and one more each %d ms",
    (kind, of, callsMax, backMs) => {
      const { clock, attempt } = opened(kind);
      // From any address, or for any account.
      const next = (index: number) =>
        attempt(of === "account" ? { address: `10.0.0.${index}` } : { account: `${index}` });

      const atOnce = untilRefused(next);
      clock.now += backMs - 1;
      const early = next(98);
      clock.now += 1;
      const back = untilRefused((index) => next(index + 99));

      expect(atOnce).toEqual([callsMax, `rate_limit_exceeded ${backMs / secondMs}`]);
      expect(early).toBe("rate_limit_exceeded 1");
      expect(back).toEqual([1, `rate_limit_exceeded ${backMs / secondMs}`]);
    },
  );

  const ada = { address: anywhere, account: "ada@example.com" };

  test.each([
    ["with the right password", async () => true],
    ["that could not be checked", () => Promise.reject(new Problem("unavailable", "The queue is full."))],
  ])("%s cost nothing", async (_, isRight: () => Promise<boolean>) => {
    const { attempts, attempt } = opened("signIn");

    for (let check = 0; check < 30; check++) await problemOf(attempts.signIn.check(ada, isRight));

    expect(untilRefused(() => attempt({}))[0]).toBe(10);
  });

  test("with wrong passwords sent simultaneously are as many as successive ones", async () => {
    const { attempts } = opened("signIn");
    const refusals = await Promise.all(
      Array.from({ length: 30 }, () => problemOf(attempts.signIn.check(ada, async () => false))),
    );

    const late = await problemOf(attempts.signIn.check(ada, async () => true));

    // Their outcome is not known yet, so they get "busy".
    expect(refusals.map((problem) => problem?.code)).toEqual([
      ...Array(10).fill(undefined),
      ...Array(20).fill("unavailable"),
    ]);
    expect(late?.code).toBe("rate_limit_exceeded");
  });

  test("refused by the account's limit do not count for the address", () => {
    const { attempt } = opened("signIn");
    untilRefused(() => attempt({}));
    for (let refused = 0; refused < 30; refused++) attempt({});

    expect(untilRefused((index) => attempt({ account: `${index}` }))[0]).toBe(10);
  });

  test("at one account do not count for other accounts and addresses, nor for that user's own browser", () => {
    const { attempt } = opened("signIn");
    untilRefused(() => attempt({}));

    expect(attempt({ address: undefined }, "ownPassword")).toBe("admitted");
    expect(attempt({ account: "eve@example.com" })).toBe("admitted");
    expect(attempt({ account: "eve@example.com", address: "192.0.2.2" })).toBe("admitted");
  });

  test("from one IPv6 network, which one client may own, count together", () => {
    const { attempt } = opened("signIn");

    const [admitted] = untilRefused((index) => attempt({ address: `2001:db8:1:2::${index}`, account: `${index}` }));

    expect(admitted).toBe(20);
    expect(attempt({ address: "2001:db8:1:3::1", account: "eve@example.com" })).toBe("admitted");
  });
});

// More accounts than are remembered, in both generations of the cache.
test("refused checks for invented accounts give no further attempts for an account", async () => {
  const { signIn } = openAttempts(() => 0);
  const guess = (index: number) =>
    signIn.check({ address: `192.0.2.${index}`, account: "ann@example.com" }, async () => false);
  for (let index = 0; index < 10; index++) expect(await guess(index)).toBe(false);

  for (let index = 0; index < 40_001; index++) {
    const attempt = { address: "198.51.100.1", account: `${index}@example.com` };
    await signIn
      .check(attempt, () => Promise.reject(new Error("too many passwords are being checked")))
      .catch(() => {});
  }

  expect(await problemOf(guess(11))).toMatchObject({ code: "rate_limit_exceeded" });
});
