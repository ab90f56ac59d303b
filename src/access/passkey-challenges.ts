/**
 * Challenges that passkeys sign, to add a passkey or to sign in.
 *
 * 1. A challenge works within passkeyChallengeLifeMs. It is its own encrypted end, so that every node with the same secret
 *    can check it, and asking for challenges writes nothing.
 * 2. The challenge for a new passkey belongs to a session. At a sign-in the person is not known yet, so its challenge belongs
 *    to nobody.
 * 3. A challenge signs in once: the transaction that accepts its signature records it (useChallenge).
 */
import type { Seal } from "../base/seal.ts";
import { type Clock, minuteMs } from "../base/time.ts";
import type { Tx } from "../database/outbox.ts";

/** How long a challenge works. */
export const passkeyChallengeLifeMs = 5 * minuteMs;

/** The challenges of an instance, in base64url. */
export type PasskeyChallenges = {
  /** A challenge for a sign-in. */
  forSignIn(): string;
  /** True for an unexpired challenge for a sign-in. */
  isForSignIn(challenge: string): boolean;
  /** A challenge for a new passkey of this session's user. */
  forNewPasskey(sessionId: string): string;
  /** True for an unexpired challenge of this session. */
  isForNewPasskey(challenge: string, sessionId: string): boolean;
};

/** Opens the challenges of the instance with this seal. */
export function openPasskeyChallenges(now: Clock, seal: Seal): PasskeyChallenges {
  const make = (purpose: string) =>
    Buffer.from(seal.seal(String(now() + passkeyChallengeLifeMs), purpose)).toString("base64url");
  const isCurrent = (challenge: string, purpose: string) => {
    const expiresAt = seal.open(Buffer.from(challenge, "base64url").toString(), purpose);
    return expiresAt !== undefined && Number(expiresAt) > now();
  };
  return {
    forSignIn: () => make("sign-in"),
    isForSignIn: (challenge) => isCurrent(challenge, "sign-in"),
    forNewPasskey: (sessionId) => make(`session ${sessionId}`),
    isForNewPasskey: (challenge, sessionId) => isCurrent(challenge, `session ${sessionId}`),
  };
}

/** Records that a challenge has signed in; false when it has done so before, on any node. */
export async function useChallenge(tx: Tx, challenge: string, at: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto("usedChallenges")
    .values({ challenge, expiresAt: at + passkeyChallengeLifeMs })
    .onConflict((conflict) => conflict.column("challenge").doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}
