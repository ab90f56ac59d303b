import { describe, expect, test } from "bun:test";
import { openSeal } from "../base/seal.ts";
import { openPasskeyChallenges, passkeyChallengeLifeMs } from "./passkey-challenges.ts";

const clock = { now: 1_000_000 };
/** The challenges of a node with this secret. */
const node = (secret = "secret") => openPasskeyChallenges(() => clock.now, openSeal(secret, "passkeys"));

describe("a challenge", () => {
  test("for a sign-in works on every node with the same secret, for five minutes", () => {
    const challenge = node().forSignIn();

    const early = [
      node().isForSignIn(challenge),
      node("other").isForSignIn(challenge),
      node().isForSignIn("aW52ZW50ZWQ"),
    ];
    clock.now += passkeyChallengeLifeMs - 1;
    const last = node().isForSignIn(challenge);
    clock.now += 1;

    expect([...early, last, node().isForSignIn(challenge)]).toEqual([true, false, false, true, false]);
  });

  test("for a new passkey belongs to one session, and signs nobody in", () => {
    const challenge = node().forNewPasskey("session_a");

    expect([
      node().isForNewPasskey(challenge, "session_a"),
      node().isForNewPasskey(challenge, "session_b"),
      node().isForSignIn(challenge),
      node().isForNewPasskey(node().forSignIn(), "session_a"),
    ]).toEqual([true, false, false, false]);
  });

  test("is different each time, and long enough that no one guesses it", () => {
    const challenges = Array.from({ length: 1_000 }, () => node().forSignIn());

    expect(new Set(challenges).size).toBe(1_000);
    expect(Buffer.from(challenges[0] ?? "", "base64url").length).toBeGreaterThanOrEqual(16);
  });
});
