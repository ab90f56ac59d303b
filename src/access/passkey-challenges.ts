/**
 * Challenges that passkeys sign, to add a passkey or to sign in.
 *
 * 1. A challenge works once, within passkeyChallengeLifeMs.
 * 2. The challenge for a new passkey belongs to a session, and a newer one replaces it. At a sign-in the person is not
 *    known yet, so its challenge belongs to nobody; the rate limits bound how fast they are made.
 * 3. They are kept in memory like all limits: visitors of the sign-in page write nothing to the disk, and a restart costs a
 *    second attempt. The oldest are forgotten beyond challengesMax, so that nobody can keep others from signing in by
 *    asking for many.
 */
import { randomBytes } from "node:crypto";
import { LruCache } from "../base/lru-cache.ts";
import { type Clock, minuteMs } from "../base/time.ts";

/** How long a challenge works. */
export const passkeyChallengeLifeMs = 5 * minuteMs;
/** Challenges of each purpose that are remembered at least; the cache holds at most twice as many. */
export const challengesMax = 10_000;
const challengeBytes = 32;

/** The challenges of one process, in base64url. */
export type PasskeyChallenges = {
  /** A challenge for a sign-in. */
  forSignIn(): string;
  /** Uses up a challenge for a sign-in; false for an unknown, used or expired one. */
  takeSignIn(challenge: string): boolean;
  /** A challenge for a new passkey of this session's user; an earlier one ends. */
  forNewPasskey(sessionId: string): string;
  /** Uses up the challenge of this session; undefined without an unexpired one. */
  takeNewPasskey(sessionId: string): string | undefined;
};

/** Opens empty challenges. */
export function openPasskeyChallenges(now: Clock): PasskeyChallenges {
  const signIns = new LruCache<string, number>(challengesMax);
  const newPasskeys = new LruCache<string, { challenge: string; expiresAt: number }>(challengesMax);
  const newChallenge = () => randomBytes(challengeBytes).toString("base64url");
  return {
    forSignIn() {
      const challenge = newChallenge();
      signIns.set(challenge, now() + passkeyChallengeLifeMs);
      return challenge;
    },
    takeSignIn(challenge) {
      const expiresAt = signIns.get(challenge);
      signIns.delete(challenge);
      return expiresAt !== undefined && expiresAt > now();
    },
    forNewPasskey(sessionId) {
      const challenge = newChallenge();
      newPasskeys.set(sessionId, { challenge, expiresAt: now() + passkeyChallengeLifeMs });
      return challenge;
    },
    takeNewPasskey(sessionId) {
      const begun = newPasskeys.get(sessionId);
      newPasskeys.delete(sessionId);
      return begun !== undefined && begun.expiresAt > now() ? begun.challenge : undefined;
    },
  };
}
