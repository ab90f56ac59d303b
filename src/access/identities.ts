/**
 * Identities of users: accounts of identity providers that sign them in; sign-in-by-identity.ts joins them.
 *
 * 1. A user keeps a way to sign in: the identity of the configured provider stays while passwords are off, and while the
 *    user has neither a password nor a passkey that works here.
 * 2. A disconnected identity ends the sessions that it has opened, except the one that disconnects it.
 * 3. Identities of a provider of earlier options sign nobody in, and vouch for no second factor.
 */

import { sha256 } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { readSetting, storeSetting } from "../database/settings.ts";
import { transact } from "../database/transact.ts";
import { auditPerson } from "./audit-person.ts";
import { isConfiguredProvider } from "./configured-provider.ts";
import type { OwnSession } from "./confirm-person.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { hasPasswordSignIn } from "./password-sign-in.ts";
import { requireSession } from "./sessions.ts";
import { type SignInOptions, waysToSignIn } from "./ways-to-sign-in.ts";

/** Identities of one user that are read: one for each provider that the instance has had. */
const identitiesMax = 100;
const idCharacters = 32;

/** An identity as its user sees it. The instant is in milliseconds. */
export type UserIdentity = {
  id: string;
  /** The name of the configured provider; the host of an earlier one. */
  provider: string;
  issuer: string;
  /** The address at the provider; null if it sent none. */
  email: string | null;
  /** True if it signs in: its provider is the configured one. */
  isActive: boolean;
  createdAt: number;
};

type ProviderOptions = SignInOptions & Pick<Config, "WAYPOST_OIDC_NAME">;
type Deps = { db: Db; now: () => number; config: ProviderOptions };

/** The identities of a user, oldest first; identitiesMax at most. */
export async function listIdentities({ db, config }: Omit<Deps, "now">, userId: string): Promise<UserIdentity[]> {
  return (await rowsOf(db, userId)).map((row) => fromRow(row, config));
}

/**
 * Disconnects an identity of the user of this session, whom the caller has confirmed, and returns it.
 * Throws "not_found" for another user's, "conflict" for the only way to sign in, "unauthorized" when the session has
 * ended.
 */
export async function disconnectIdentity(
  { db, now, config }: Deps,
  { userId, sessionId }: OwnSession,
  id: string,
): Promise<UserIdentity> {
  return await transact(db, async (tx) => {
    // Another request must not remove the user's other way to sign in before this transaction ends.
    await lockEnabledUser(tx, userId);
    await requireSession(tx, userId, sessionId);
    const row = (await rowsOf(tx, userId)).find((one) => idOf(one) === id);
    if (row === undefined) throw notFound("identity");
    const identity = fromRow(row, config);
    if (identity.isActive) await requireOtherWay(tx, config, userId);
    await removeIdentity(tx, { row, userId, byUserId: userId, exceptSessionId: sessionId }, now());
    return identity;
  });
}

/** Disconnects all identities of a user for an operator, and returns them. */
export async function disconnectAll(
  tx: Tx,
  { userId, byUserId, config }: { userId: string; byUserId: string | null; config: ProviderOptions },
  at: number,
): Promise<UserIdentity[]> {
  const rows = await rowsOf(tx, userId);
  for (const row of rows) await removeIdentity(tx, { row, userId, byUserId }, at);
  return rows.map((row) => fromRow(row, config));
}

/** The setting that says whether the last start trusted the provider for second factors. */
const trustSetting = "oidcTrustsSecondFactor";

/**
 * Forgets that providers of earlier options have checked second factors, and all second factors when
 * WAYPOST_OIDC_TRUST_SECOND_FACTOR was turned off since the last start. Each start of the service calls it.
 */
export async function forgetFormerFactors({
  db,
  config,
}: {
  db: Db;
  config: Pick<Config, "WAYPOST_OIDC_ISSUER" | "WAYPOST_OIDC_TRUST_SECOND_FACTOR">;
}): Promise<void> {
  const value = String(config.WAYPOST_OIDC_TRUST_SECOND_FACTOR);
  const stored = await readSetting(db, trustSetting);
  if (stored === "true" && value === "false") {
    await db.updateTable("identities").set({ hasSecondFactor: 0 }).where("hasSecondFactor", "=", 1).execute();
  }
  if ((stored ?? "false") !== value) {
    await storeSetting(db, trustSetting, value);
  }
  const rows = await db
    .selectFrom("identities")
    .select("issuer")
    .distinct()
    .where("hasSecondFactor", "=", 1)
    .limit(identitiesMax)
    .execute();
  const former = rows.map(({ issuer }) => issuer).filter((issuer) => !isConfiguredProvider(config, issuer));
  // A start writes nothing without a reason, so that a full disk does not prevent it.
  if (former.length === 0) return;
  await db.updateTable("identities").set({ hasSecondFactor: 0 }).where("issuer", "in", former).execute();
}

type Row = { issuer: string; subject: string; email: string | null; createdAt: number };

async function rowsOf(db: Db, userId: string): Promise<Row[]> {
  return await db
    .selectFrom("identities")
    .select(["issuer", "subject", "email", "createdAt"])
    .where("userId", "=", userId)
    .orderBy("createdAt")
    .orderBy("issuer")
    .limit(identitiesMax)
    .execute();
}

/** Derived, so that the provider's subject appears in no URL. */
function idOf({ issuer, subject }: Row): string {
  return `identity_${sha256(JSON.stringify([issuer, subject])).slice(0, idCharacters)}`;
}

function fromRow(row: Row, config: ProviderOptions): UserIdentity {
  const { issuer, email, createdAt } = row;
  const isActive = isConfiguredProvider(config, issuer);
  const provider = isActive ? config.WAYPOST_OIDC_NAME : (URL.parse(issuer)?.host ?? issuer);
  return { id: idOf(row), provider, issuer, email, isActive, createdAt };
}

async function requireOtherWay(tx: Tx, config: ProviderOptions, userId: string): Promise<void> {
  const name = config.WAYPOST_OIDC_NAME;
  if (!hasPasswordSignIn(config)) {
    throw new Problem("conflict", `People sign in to this service with ${name} only, so it cannot be disconnected.`);
  }
  const { hasPassword, passkeyIds } = await waysToSignIn(tx, config, userId);
  if (hasPassword || passkeyIds.length > 0) return;
  throw new Problem(
    "conflict",
    `You sign in with ${name} only; set a password or add a passkey before you disconnect it.`,
  );
}

type Removal = { row: Row; userId: string; byUserId: string | null; exceptSessionId?: string };

async function removeIdentity(
  tx: Tx,
  { row: { issuer, subject, email }, userId, byUserId, exceptSessionId = "" }: Removal,
  at: number,
): Promise<void> {
  await tx.deleteFrom("identities").where("issuer", "=", issuer).where("subject", "=", subject).execute();
  await tx.deleteFrom("magicLinks").where("userId", "=", userId).where("method", "=", "provider").execute();
  await tx
    .deleteFrom("sessions")
    .where("userId", "=", userId)
    .where("method", "=", "provider")
    .where("id", "<>", exceptSessionId)
    .execute();
  const change = {
    userId,
    byUserId,
    type: "member.identityDisconnected",
    data: { before: { issuer, email } },
  } as const;
  await auditPerson(tx, change, at);
}
