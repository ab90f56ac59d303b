/**
 * The user whom an identity provider has signed in.
 *
 * 1. An identity is an issuer and a subject. It belongs to one user, however addresses change.
 * 2. An unknown identity joins the account with its address only if the provider and Waypost have both verified the
 *    address, and the account has no other identity of this issuer: a provider may give an address to another person.
 * 3. Whether an unknown person gets an account is the operator's decision; see mayCreate.
 * 4. Joining is recorded in the audit logs, and the caller mails the person; the identity's address and second factor
 *    are those of its last sign-in.
 */
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { auditPerson } from "./audit-person.ts";
import { currentBlocks } from "./blocks.ts";
import type { Identity } from "./identity-provider.ts";
import { findOpenInvite, type OpenInvite } from "./invites.ts";
import { followGroups, mappedRoles } from "./mapped-members.ts";
import { nameFromEmail, requirePersonName } from "./person-name.ts";
import { signUpMode } from "./sign-up.ts";
import { insertUser, normalizeEmail } from "./users.ts";
import { workspaceNameMax } from "./workspaces.ts";

/** The user, and whether the identity has just joined their account; or why nobody is signed in. */
type Found =
  | { kind: "user"; userId: string; hasJoined?: true }
  /** Nobody has an account with this address, and none may be created. */
  | { kind: "noAccount" }
  /** The provider has not verified the address, or sent none. */
  | { kind: "unverifiedEmail" }
  /** Waypost has not verified the address of the account. */
  | { kind: "unverifiedAccount" }
  /** The account with this address has another identity. */
  | { kind: "otherIdentity" }
  | { kind: "disabled" };

type Deps = { db: Db; now: () => number; config: Config };

/**
 * The user of an identity, who may be created. Memberships from the provider's groups are brought up to date. The
 * token is that of the invite whose page the person wants to open afterwards.
 * Guarantee: disabled and blocked users are not returned.
 * Throws "conflict" when a simultaneous sign-in has just created the user.
 */
export async function userOfIdentity(
  { db, now, config }: Deps,
  identity: Identity,
  inviteToken: string | undefined,
): Promise<Found> {
  const blocks = await currentBlocks(db);
  const invite = inviteToken === undefined ? undefined : await findOpenInvite({ db, now }, inviteToken);
  const roles = mappedRoles(config.WAYPOST_OIDC_ROLES, identity.groups);
  return await transact(db, async (tx) => {
    const found =
      (await linkedUser(tx, identity)) ?? (await userByEmail(tx, { config, identity, roles, invite }, now()));
    if (found.kind !== "user") return found;
    const { userId } = found;
    const user = await tx.selectFrom("users").select("disabledAt").where("id", "=", userId).executeTakeFirst();
    if (user === undefined || user.disabledAt !== null || blocks.hasUser(userId)) return { kind: "disabled" };
    await followGroups(tx, userId, roles, now());
    return found;
  });
}

async function linkedUser(tx: Tx, identity: Identity): Promise<Found | undefined> {
  const row = await tx
    .updateTable("identities")
    .set(detailsOf(identity))
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .returning("userId")
    .executeTakeFirst();
  return row === undefined ? undefined : { kind: "user", userId: row.userId };
}

type Unknown = {
  config: Config;
  identity: Identity;
  roles: ReturnType<typeof mappedRoles>;
  invite: OpenInvite | undefined;
};

async function userByEmail(tx: Tx, unknown: Unknown, at: number): Promise<Found> {
  const { identity } = unknown;
  const email = normalizeEmail(identity.email ?? "");
  if (email === undefined || !identity.isEmailVerified) return { kind: "unverifiedEmail" };
  const user = await tx.selectFrom("users").select(["id", "verifiedAt"]).where("email", "=", email).executeTakeFirst();
  if (user === undefined) return await newUser(tx, unknown, email, at);
  if (user.verifiedAt === null) return { kind: "unverifiedAccount" };
  const other = await tx
    .selectFrom("identities")
    .select("subject")
    .where("userId", "=", user.id)
    .where("issuer", "=", identity.issuer)
    .executeTakeFirst();
  if (other !== undefined) return { kind: "otherIdentity" };
  if (!(await insertIdentity(tx, identity, user.id, at))) return { kind: "user", userId: user.id };
  const data = { after: { issuer: identity.issuer, email } };
  await auditPerson(tx, { userId: user.id, byUserId: user.id, type: "member.identityConnected", data }, at);
  return { kind: "user", userId: user.id, hasJoined: true };
}

async function newUser(tx: Tx, unknown: Unknown, email: string, at: number): Promise<Found> {
  const { identity } = unknown;
  if (!mayCreate(unknown, email)) return { kind: "noAccount" };
  const name = requirePersonName(storableName(identity.name ?? "") || nameFromEmail(email));
  const userId = await insertUser(tx, { email, name, passwordHash: null, verifiedAt: at }, at);
  await insertIdentity(tx, identity, userId, at);
  return { kind: "user", userId };
}

/** A provider's name, which may be too long or contain what no database stores. */
function storableName(name: string): string {
  return name.replaceAll("\0", "").trim().slice(0, workspaceNameMax).toWellFormed();
}

/**
 * True when an unknown person gets an account. With WAYPOST_OIDC_CREATE_ACCOUNTS, everyone does; otherwise sign-up
 * decides: nobody while it is closed, everyone while it is open. While it is by invite, people do who open an invite,
 * and members of mapped groups, for whom the mapping is the invite.
 */
function mayCreate({ config, roles, invite }: Unknown, email: string): boolean {
  if (providerCreatesAccounts(config)) return true;
  if (signUpMode(config) === "closed") return false;
  const isInvited = invite !== undefined && (invite.email === null || invite.email === email);
  return isInvited || roles.size > 0;
}

/** True when everyone whom the provider signs in gets an account. */
export function providerCreatesAccounts(
  config: Pick<Config, "WAYPOST_OIDC_CREATE_ACCOUNTS" | "WAYPOST_SIGN_UP" | "WAYPOST_SMTP_URL">,
): boolean {
  return config.WAYPOST_OIDC_CREATE_ACCOUNTS || signUpMode(config) === "open";
}

/** What an identity's row says of its last sign-in. */
function detailsOf({ email, hasSecondFactor }: Identity) {
  return { email: normalizeEmail(email ?? "") ?? null, hasSecondFactor: hasSecondFactor ? 1 : 0 };
}

/** Returns false when a simultaneous sign-in of the same person, who is the same user, has inserted it. */
async function insertIdentity(tx: Tx, identity: Identity, userId: string, at: number): Promise<boolean> {
  const { issuer, subject } = identity;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("identities")
    .values({ issuer, subject, userId, createdAt: at, ...detailsOf(identity) })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
