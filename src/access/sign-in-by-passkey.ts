import type { Log } from "../base/log.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import type { AttemptLimits } from "./attempts.ts";
import { auditPerson } from "./audit-person.ts";
import { accountBlocked, currentBlocks } from "./blocks.ts";
import { type PasskeyChallenges, passkeyChallengeLifeMs, useChallenge } from "./passkey-challenges.ts";
import { challengeOf, checkPasskey, type PasskeyResponse, userHandleOf } from "./passkey-response.ts";
import { type PasskeySite, requirePasskeySite } from "./passkey-site.ts";
import { openSession } from "./sessions.ts";

type Deps = {
  db: Db;
  now: () => number;
  log: Pick<Log, "warn">;
  config: Pick<Config, "WAYPOST_URL" | "WAYPOST_PASSWORD_SIGN_IN">;
  passkeyChallenges: PasskeyChallenges;
};

/** The options with which a browser asks for a passkey, as navigator.credentials.get takes them, in base64url. */
type PasskeyOptions = {
  challenge: string;
  rpId: string;
  timeout: number;
  userVerification: "required";
};

/** Begins a sign-in with any passkey of this host. Throws what requirePasskeySite throws. */
export function beginPasskeySignIn({
  config,
  passkeyChallenges,
}: Pick<Deps, "config" | "passkeyChallenges">): PasskeyOptions {
  const { host } = requirePasskeySite(config);
  const challenge = passkeyChallenges.forSignIn();
  return { challenge, rpId: host, timeout: passkeyChallengeLifeMs, userVerification: "required" };
}

/**
 * Signs in the user of a passkey, which counts as both factors, and returns the token for the session's cookie.
 * Guarantee: a challenge signs in once, and a passkey whose counter goes back signs nobody in. The response does not tell
 * an unknown passkey from a wrong signature.
 * Throws "unauthorized" for a response that is wrong or late, "forbidden" for a blocked or disabled user,
 * "rate_limit_exceeded" after too many wrong ones from one network, and what requirePasskeySite throws.
 */
export async function signInByPasskey(
  { limits, ...deps }: Deps & { limits: AttemptLimits },
  { address, userAgent, language }: { address: string; userAgent: string; language: string },
  response: PasskeyResponse,
): Promise<string> {
  const site = requirePasskeySite(deps.config);
  let used: UsedPasskey | undefined;
  await limits.check({ address: undefined, account: networkOf(address) }, async () => {
    used = await usePasskey(deps, site, response);
    return used.kind === "used";
  });
  if (used?.kind === "late") {
    throw new Problem("unauthorized", "Signing in took too long. Try again.");
  }
  if (used?.kind !== "used") throw passkeyRefused();
  const { userId, passkeyId } = used;
  if ((await currentBlocks(deps.db)).hasUser(userId)) throw accountBlocked();
  return await openSession(deps, { userId, userAgent, language, method: "passkey", passkeyId });
}

/** "used": the passkey was right. "late": its challenge had ended. "wrong": anything else was wrong. */
type UsedPasskey = { kind: "used"; userId: string; passkeyId: string } | { kind: "late" } | { kind: "wrong" };

async function usePasskey(
  { db, now, log, passkeyChallenges }: Deps,
  site: Extract<PasskeySite, { kind: "on" }>,
  response: PasskeyResponse,
): Promise<UsedPasskey> {
  const challenge = challengeOf(response.clientDataJSON);
  if (challenge === undefined) return { kind: "wrong" };
  if (!passkeyChallenges.isForSignIn(challenge)) return { kind: "late" };
  const passkey = await db
    .selectFrom("passkeys")
    .select(["id", "userId", "name", "credentialId", "publicKey"])
    .where("credentialId", "=", response.id)
    .where("host", "=", site.host)
    .executeTakeFirst();
  if (passkey === undefined || response.userHandle !== userHandleOf(passkey.userId)) return { kind: "wrong" };
  const checked = await checkPasskey({ site, challenge }, passkey, response);
  if (checked.kind === "refused") return { kind: "wrong" };
  const { id: passkeyId, userId, name } = passkey;
  const outcome = await advanceCounter(db, { challenge, passkeyId, userId, name, counter: checked.counter }, now());
  if (outcome === "advanced") return { kind: "used", userId, passkeyId };
  if (outcome === "repeated") return { kind: "late" };
  if (outcome === "back") {
    // Without its name, which is the person's.
    log.warn("A passkey was refused, because its counter went back: it may have been copied.", {
      user: userId,
      passkey: passkeyId,
    });
  }
  return { kind: "wrong" };
}

type SignedChallenge = { challenge: string; passkeyId: string; userId: string; name: string; counter: number };

/**
 * Stores the challenge and the counter of a right signature. "repeated" for a challenge that has signed in before. "back"
 * for a counter that is not greater than the last one, which the audit logs record; authenticators without a counter
 * always send 0. "gone" for a passkey that has just been removed.
 */
async function advanceCounter(
  db: Db,
  { challenge, passkeyId, userId, name, counter }: SignedChallenge,
  at: number,
): Promise<"advanced" | "repeated" | "back" | "gone"> {
  return await transact(db, async (tx) => {
    if (!(await useChallenge(tx, challenge, at))) return "repeated";
    const { numUpdatedRows } = await tx
      .updateTable("passkeys")
      .set({ counter, lastUsedAt: at })
      .where("id", "=", passkeyId)
      .where((where) => where.or([where("counter", "<", counter), where("counter", "=", counter === 0 ? 0 : -1)]))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return "advanced";
    const present = await tx.selectFrom("passkeys").select("id").where("id", "=", passkeyId).executeTakeFirst();
    if (present === undefined) return "gone";
    const refusal = { userId, byUserId: userId, type: "signIn.passkeyRefused", data: { after: { name } } } as const;
    await auditPerson(tx, refusal, at);
    return "back";
  });
}

function passkeyRefused(): Problem {
  return new Problem("unauthorized", "This passkey is unknown here, or could not be verified.");
}
