/**
 * Passkeys: keys of a person's devices or password manager, which sign in without a password and a code.
 *
 * 1. Only the public key is stored. It works for the host of WAYPOST_URL for which it was made.
 * 2. Adding and removing one confirms the person (see confirm-person.ts); adding is confirmed when the challenge is made,
 *    which belongs to the session.
 * 3. A session in which a passkey was added has a second factor from then on, as after confirming a one-time code.
 * 4. Removing a passkey ends the sessions that began with it.
 * 5. A user keeps a way to sign in: the last passkey stays while nothing else signs them in.
 */
import { newId } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { auditPerson } from "./audit-person.ts";
import { type OwnSession, requireOwnFactor } from "./confirm-person.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { type PasskeyChallenges, passkeyChallengeLifeMs } from "./passkey-challenges.ts";
import {
  challengeOf,
  checkNewPasskey,
  keyAlgorithms,
  type NewPasskeyResponse,
  userHandleOf,
} from "./passkey-response.ts";
import { requirePasskeySite } from "./passkey-site.ts";
import { endUnusedSecondFactor } from "./second-factors.ts";
import { requireSession } from "./sessions.ts";
import { type SignInOptions, waysToSignIn } from "./ways-to-sign-in.ts";

/** Passkeys of one user. */
export const passkeysMax = 20;
/** Characters of a passkey's name. */
export const passkeyNameMax = 100;

/** A passkey as its user sees it. Instants are milliseconds since the epoch. */
export type Passkey = {
  id: string;
  name: string;
  /** The host on which it works. */
  host: string;
  createdAt: number;
  /** The last sign-in with it; null before the first. */
  lastUsedAt: number | null;
};

type Deps = {
  db: Db;
  now: () => number;
  config: Pick<Config, "WAYPOST_URL" | "WAYPOST_PASSWORD_SIGN_IN">;
  passkeyChallenges: PasskeyChallenges;
};

/** The user's passkeys, oldest first; passkeysMax at most. */
export async function listPasskeys({ db }: Pick<Deps, "db">, userId: string): Promise<Passkey[]> {
  return await passkeysOf(db, userId).orderBy("id").execute();
}

/** The user's passkey with this id. Throws "not_found" for another user's. */
export async function getPasskey({ db }: Pick<Deps, "db">, userId: string, id: string): Promise<Passkey> {
  const found = await passkeysOf(db, userId).where("id", "=", id).executeTakeFirst();
  if (found === undefined) throw notFound("passkey");
  return found;
}

function passkeysOf(db: Db, userId: string) {
  return db
    .selectFrom("passkeys")
    .select(["id", "name", "host", "createdAt", "lastUsedAt"])
    .where("userId", "=", userId);
}

/** The options with which a browser makes a new passkey, as navigator.credentials.create takes them, in base64url. */
export type NewPasskeyOptions = {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { type: "public-key"; alg: number }[];
  timeout: number;
  excludeCredentials: { type: "public-key"; id: string }[];
  authenticatorSelection: { residentKey: "required"; requireResidentKey: true; userVerification: "required" };
  attestation: "none";
};

/**
 * Begins to add a passkey; the caller has confirmed the person.
 * Throws "conflict" beyond passkeysMax, and what requirePasskeySite throws.
 */
export async function beginPasskey(
  { db, config, passkeyChallenges }: Omit<Deps, "now">,
  { userId, sessionId }: OwnSession,
): Promise<NewPasskeyOptions> {
  const { host } = requirePasskeySite(config);
  const user = await db.selectFrom("users").select(["email", "name"]).where("id", "=", userId).executeTakeFirst();
  if (user === undefined) throw notFound("user");
  await refuseBeyondMax(db, userId);
  const present = await db
    .selectFrom("passkeys")
    .select("credentialId")
    .where("userId", "=", userId)
    .where("host", "=", host)
    .execute();
  return {
    challenge: passkeyChallenges.forNewPasskey(sessionId),
    rp: { id: host, name: host },
    user: { id: userHandleOf(userId), name: user.email ?? user.name, displayName: user.name },
    pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: passkeyChallengeLifeMs,
    excludeCredentials: present.map(({ credentialId }) => ({ type: "public-key", id: credentialId })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

async function refuseBeyondMax(db: Db, userId: string): Promise<void> {
  const count = await countRows(db.selectFrom("passkeys").where("userId", "=", userId));
  if (count < passkeysMax) return;
  throw new Problem("conflict", `You have ${passkeysMax} passkeys, which is the limit; remove one first.`);
}

/**
 * Adds the passkey that the browser made. The session has a second factor from then on.
 * Throws "conflict" without a challenge, beyond passkeysMax and for a passkey that is in an account already,
 * "unprocessable_entity" for a response that is wrong, "forbidden" for a session that does not suffice any more, and what
 * requirePasskeySite throws.
 */
export async function addPasskey(
  deps: Deps,
  session: OwnSession,
  { name, ...response }: NewPasskeyResponse & { name: string },
): Promise<Passkey> {
  const { userId, sessionId } = session;
  const site = requirePasskeySite(deps.config);
  const challenge = challengeOf(response.clientDataJSON);
  if (challenge === undefined || !deps.passkeyChallenges.isForNewPasskey(challenge, sessionId)) {
    throw new Problem("conflict", "This took too long, or was begun in another tab. Try again.");
  }
  const checked = await checkNewPasskey({ site, challenge }, response);
  if (checked.kind === "refused") {
    throw new Problem("unprocessable_entity", "The passkey could not be verified. Try again.", {
      cause: new Error(checked.reason),
    });
  }
  const at = deps.now();
  const passkey = { id: newId("passkey", at), name, host: site.host, createdAt: at, lastUsedAt: null };
  try {
    return await transact(deps.db, async (tx) => {
      // A factor that another session has added since the challenge was made must be used first.
      await lockEnabledUser(tx, userId);
      await requireSession(tx, userId, sessionId);
      await requireOwnFactor({ db: tx, config: deps.config }, session);
      await refuseBeyondMax(tx, userId);
      await tx
        .insertInto("passkeys")
        .values({ ...passkey, ...checked.credential, userId })
        .execute();
      await tx.updateTable("sessions").set({ hasSecondFactor: 1 }).where("id", "=", sessionId).execute();
      const change = { userId, byUserId: userId, type: "member.passkeyAdded", data: { after: { name } } } as const;
      await auditPerson(tx, change, at);
      return passkey;
    });
  } catch (error) {
    if (violatedIndex(error) !== "passkeyCredential") throw error;
    throw new Problem("conflict", "This passkey has already been added.", { cause: error });
  }
}

/** Renames a passkey of the user. Throws "not_found" for another user's. */
export async function renamePasskey(
  { db }: Pick<Deps, "db">,
  { userId, id }: { userId: string; id: string },
  name: string,
): Promise<Passkey> {
  const { numUpdatedRows } = await db
    .updateTable("passkeys")
    .set({ name })
    .where("id", "=", id)
    .where("userId", "=", userId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound("passkey");
  return await getPasskey({ db }, userId, id);
}

/**
 * Removes a passkey of the user, and ends the other sessions that began with it; the caller has confirmed the person.
 * Without another second factor, the remaining sessions lose it. Throws "not_found" for another user's passkey,
 * "conflict" for the only way to sign in.
 */
export async function removePasskey(
  { db, now, config }: Pick<Deps, "db" | "now"> & { config: SignInOptions },
  { userId, sessionId }: OwnSession,
  id: string,
): Promise<{ id: string; name: string }> {
  return await transact(db, async (tx) => {
    await lockEnabledUser(tx, userId);
    await requireSession(tx, userId, sessionId);
    await refuseOnlyWay(tx, config, { userId, id });
    const removed = await tx
      .deleteFrom("passkeys")
      .where("id", "=", id)
      .where("userId", "=", userId)
      .returning("name")
      .executeTakeFirst();
    if (removed === undefined) throw notFound("passkey");
    await tx
      .deleteFrom("sessions")
      .where("userId", "=", userId)
      .where("passkeyId", "=", id)
      .where("id", "<>", sessionId)
      .execute();
    await endUnusedSecondFactor(tx, userId);
    const change = { userId, byUserId: userId, type: "member.passkeyRemoved", data: { before: removed } } as const;
    await auditPerson(tx, change, now());
    return { id, name: removed.name };
  });
}

async function refuseOnlyWay(tx: Tx, config: SignInOptions, { userId, id }: { userId: string; id: string }) {
  const { hasPassword, hasIdentity, hasLinks, passkeyIds } = await waysToSignIn(tx, config, userId);
  // A passkey of another host signs nobody in.
  const isOnlyPasskey = passkeyIds.length === 1 && passkeyIds[0] === id;
  if (!isOnlyPasskey || hasPassword || hasIdentity || hasLinks) return;
  throw new Problem("conflict", "This passkey is your only way to sign in; add another one before you remove it.");
}

/** Removes all passkeys of a user, and ends the sessions that began with one; false when there were none. */
export async function removeAllPasskeys(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("passkeys").where("userId", "=", userId).executeTakeFirstOrThrow();
  await tx.deleteFrom("sessions").where("userId", "=", userId).where("passkeyId", "is not", null).execute();
  return numDeletedRows > 0n;
}
