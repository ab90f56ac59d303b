import { describe, expect, test } from "bun:test";
import { challengesMax, openPasskeyChallenges, passkeyChallengeLifeMs } from "./passkey-challenges.ts";

function opened() {
  const clock = { now: 1_000_000 };
  return { clock, challenges: openPasskeyChallenges(() => clock.now) };
}

describe("a challenge for a sign-in", () => {
  test("works once", () => {
    const { challenges } = opened();
    const challenge = challenges.forSignIn();

    expect([challenges.takeSignIn(challenge), challenges.takeSignIn(challenge)]).toEqual([true, false]);
    expect(challenges.takeSignIn("unknown")).toBe(false);
  });

  test("expires after five minutes", () => {
    const { clock, challenges } = opened();
    const [first, second] = [challenges.forSignIn(), challenges.forSignIn()];

    clock.now += passkeyChallengeLifeMs - 1;
    const inTime = challenges.takeSignIn(first);
    clock.now += 1;

    expect([inTime, challenges.takeSignIn(second)]).toEqual([true, false]);
  });

  test("is forgotten after twice as many newer ones as are kept, and kept before", () => {
    const { challenges } = opened();
    const first = challenges.forSignIn();
    const later = Array.from({ length: 2 * challengesMax }, () => challenges.forSignIn());

    expect(challenges.takeSignIn(first)).toBe(false);
    expect(later.slice(-challengesMax).every((challenge) => challenges.takeSignIn(challenge))).toBe(true);
  });
});

describe("a challenge for a new passkey", () => {
  test("belongs to one session, works once, and a newer one replaces it", () => {
    const { challenges } = opened();
    challenges.forNewPasskey("session_a");
    const newer = challenges.forNewPasskey("session_a");
    const other = challenges.forNewPasskey("session_b");

    expect(challenges.takeNewPasskey("session_a")).toBe(newer);
    expect(challenges.takeNewPasskey("session_a")).toBeUndefined();
    expect(challenges.takeNewPasskey("session_b")).toBe(other);
    expect(challenges.takeSignIn(other)).toBe(false);
  });

  test("expires after five minutes", () => {
    const { clock, challenges } = opened();
    challenges.forNewPasskey("session_a");

    clock.now += passkeyChallengeLifeMs;

    expect(challenges.takeNewPasskey("session_a")).toBeUndefined();
  });
});
