import type { ExpressionBuilder } from "kysely";
import { newId, randomBase62, sha256 } from "../base/ids.ts";
import type { NoFieldsLeft } from "../base/no-fields-left.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import { dayMs, secondMs, utcDay } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { Role, Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { type Actor, requireUnlimitedKey } from "./actor.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { lockWorkspace } from "./lock-workspace.ts";
import { addMember, refuseMember } from "./members.ts";
import { requireCaller } from "./require-caller.ts";
import { normalizeEmail } from "./users.ts";
import { requireRoom, requireRoomToOwn } from "./workspace-limits.ts";
import { getWorkspace, lockAsOwner, type Workspace } from "./workspaces.ts";

/**
 * Invites to become a member of a workspace. An owner creates them, and the invited person accepts them with a link.
 *
 * 1. Only the SHA-256 of a link's token is stored; the token is shown once. A mailed link has another token, which only
 *    the reader of that mailbox knows: it verifies the address; the token shown to the owner does not.
 * 2. An invite is a row while it is open. Accepting deletes the row, so an invite is used once.
 * 3. Only the user with the invite's e-mail address can accept it, once that address is verified: by the mailed link,
 *    or before. See verify-email.ts.
 */

/** Open invites that one workspace may have. */
export const invitesMax = 100;
/** Invites that one workspace may mail on one day (UTC), revoked ones included: mail goes to strangers. */
export const mailedInvitesPerDayMax = 100;
/** How long an invite is open by default, and at most. */
export const inviteLifeMs = 7 * dayMs;
export const inviteLifeMaxMs = 30 * dayMs;
/** Characters of a link's token. */
export const inviteTokenLength = 40;
/** The most passwords that visitors may try, and mails that they may request, with one link. */
export const inviteAttemptsMax = 10;

/** An open invite, without its token. Instants are milliseconds since the epoch. */
export type Invite = {
  id: string;
  email: string | null;
  role: Role;
  /** The user who invited; null once that user is deleted. */
  userId: string | null;
  expiresAt: number;
  createdAt: number;
};

/** The fields of a new invite: without an e-mail, anyone with the link may accept it. */
export type NewInvite = { email: string | null; role: Role; expiresAt: number | null };

type Deps = { db: Db; now: () => number };

/**
 * Creates an invite into the actor's workspace. Returns it with its token, which is shown only once, and the token for
 * the mail, which is shown to no caller.
 * Throws "forbidden" unless the actor is an owner, and for a limited key that would create an owner;
 * "unprocessable_entity" for an invalid address, and for an expiry in the past or too far away; "conflict" beyond
 * invitesMax, and for an address that is already invited or a member; "rate_limit_exceeded" for an address beyond
 * mailedInvitesPerDayMax; "unauthorized" when the caller's session or key has just ended.
 */
export async function createInvite(
  deps: Deps,
  actor: Actor,
  input: NewInvite,
): Promise<{ invite: Invite; token: string; mailedToken: string; workspace: Workspace }> {
  const { email: sentEmail, role, expiresAt: sentExpiresAt, ...left } = input;
  left satisfies NoFieldsLeft;
  if (role === "owner") requireUnlimitedKey(actor);
  const at = deps.now();
  const email = sentEmail === null ? null : normalizeEmail(sentEmail);
  if (email === undefined) throw invalid("email", "must be an e-mail address such as you@example.com.");
  const expiresAt = sentExpiresAt ?? at + inviteLifeMs;
  if (expiresAt <= at || expiresAt > at + inviteLifeMaxMs) {
    throw invalid("expiresAt", `must be in the future, at most ${inviteLifeMaxMs / dayMs} days from now.`);
  }
  const [token, mailedToken] = [randomBase62(inviteTokenLength), randomBase62(inviteTokenLength)];
  const mailed = email === null ? {} : { mailedTo: email, mailedHash: sha256(mailedToken) };
  const invite: Invite = {
    id: newId("inv", at),
    email,
    role,
    userId: actor.userId,
    expiresAt,
    createdAt: at,
  };
  return await transact(deps.db, async (tx) => {
    const workspace = await lockAsOwner(tx, actor);
    await requireCaller(tx, actor);
    await refuseNeedlessInvite(tx, workspace.id, email, at);
    if (email !== null) await countMail(tx, workspace.id, at);
    const row = { ...invite, workspaceId: workspace.id, hash: sha256(token), ...mailed };
    await tx.insertInto("invites").values(row).execute();
    await emit(tx, eventBy(actor, "invite.created", invite.id, at, { email, role: invite.role, expiresAt }));
    return { invite, token, mailedToken, workspace };
  });
}

async function refuseNeedlessInvite(tx: Tx, workspaceId: number, email: string | null, now: number): Promise<void> {
  const open = await tx
    .selectFrom("invites")
    .select("email")
    .where("workspaceId", "=", workspaceId)
    .where("expiresAt", ">", now)
    .execute();
  if (open.length >= invitesMax) {
    throw new Problem(
      "conflict",
      `This workspace has ${invitesMax} open invites, which is the limit; revoke one first.`,
    );
  }
  if (email === null) return;
  if (open.some((invite) => invite.email === email)) {
    throw new Problem("conflict", `email: ${email} already has an open invite; revoke it to create another one.`);
  }
  const member = await tx
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select("users.id")
    .where("members.workspaceId", "=", workspaceId)
    .where("users.email", "=", email)
    .executeTakeFirst();
  if (member !== undefined) throw new Problem("conflict", `email: ${email} is already a member of this workspace.`);
}

/** Counts one of the day's mails. The caller holds lockWorkspace. Throws "rate_limit_exceeded" at the limit. */
async function countMail(tx: Tx, workspaceId: number, now: number): Promise<void> {
  const day = utcDay(now);
  const counted = await tx
    .selectFrom("inviteMails")
    .select("mails")
    .where("workspaceId", "=", workspaceId)
    .where("day", "=", day)
    .executeTakeFirst();
  const mails = (counted?.mails ?? 0) + 1;
  if (mails > mailedInvitesPerDayMax) {
    throw new Problem(
      "rate_limit_exceeded",
      `This workspace has invited ${mailedInvitesPerDayMax} addresses today, which is the limit; continue tomorrow (UTC), or invite without email and send the link yourself.`,
      { retryAfterSeconds: Math.ceil((dayMs - (now % dayMs)) / secondMs) },
    );
  }
  await tx
    .insertInto("inviteMails")
    .values({ workspaceId, day, mails })
    .onConflict((conflict) => conflict.column("workspaceId").doUpdateSet({ day, mails }))
    .execute();
}

/** The open invites into the actor's workspace, oldest first; invitesMax at most. */
export async function listInvites({ db, now }: Deps, actor: Pick<Actor, "workspaceId">): Promise<Invite[]> {
  return await db
    .selectFrom("invites")
    .select(["id", "email", "role", "userId", "expiresAt", "createdAt"])
    .where("workspaceId", "=", actor.workspaceId)
    .where("expiresAt", ">", now())
    .orderBy("id")
    .execute();
}

/**
 * Closes an invite at once. Throws "forbidden" unless the actor is an owner, "not_found" for an invite that is not open
 * here.
 */
export async function revokeInvite(deps: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  return await transact(deps.db, async (tx) => {
    const workspace = await lockAsOwner(tx, actor);
    const at = deps.now();
    const invite = await tx
      .deleteFrom("invites")
      .where("id", "=", id)
      .where("workspaceId", "=", workspace.id)
      .where("expiresAt", ">", at)
      .returning(["email", "role"])
      .executeTakeFirst();
    if (invite === undefined) throw notFound("invite");
    await emit(tx, eventBy(actor, "invite.revoked", id, at, invite));
    return { id };
  });
}

/**
 * Makes the actor's user a member by an invite's link, and returns the workspace.
 * Throws "not_found" for a link that is unknown, used, revoked or expired; "forbidden" for an invite to another
 * address, or to the user's own address while it is unverified; "conflict" for a member, and when the workspace or the
 * user has reached a limit. After "forbidden" and "conflict" the invite stays open.
 */
export async function acceptInvite(deps: Deps, actor: Pick<Actor, "userId">, token: string): Promise<Workspace> {
  return await transact(deps.db, (tx) => takeInvite(tx, actor.userId, token, deps.now()));
}

/** Like acceptInvite, inside a transaction that may also create the user. */
export async function takeInvite(tx: Tx, userId: string, token: string, at: number): Promise<Workspace> {
  const found = await tx.selectFrom("invites").select(["id", "workspaceId"]).where(isToken(token)).executeTakeFirst();
  if (found === undefined) throw inviteClosed();
  await lockWorkspace(tx, found.workspaceId);
  await lockEnabledUser(tx, userId);
  const invite = await tx
    .deleteFrom("invites")
    .where("id", "=", found.id)
    .where("expiresAt", ">", at)
    .returning(["workspaceId", "userId", "email", "role"])
    .executeTakeFirst();
  if (invite === undefined) throw inviteClosed();
  const { workspaceId, role } = invite;
  if (invite.email !== null) await requireEmail(tx, userId, invite.email);
  // Before the limit, which is no reason to keep a member out.
  await refuseMember(tx, { workspaceId, userId });
  await requireRoom(tx, workspaceId, "members");
  if (role === "owner") await requireRoomToOwn(tx, userId);
  await addMember(tx, workspaceId, { userId, role, byUserId: invite.userId }, at);
  return await getWorkspace({ db: tx }, { workspaceId, userId });
}

async function requireEmail(tx: Tx, userId: string, email: string): Promise<void> {
  const user = await tx.selectFrom("users").select(["email", "verifiedAt"]).where("id", "=", userId).executeTakeFirst();
  if (user?.email !== email) {
    throw new Problem("forbidden", "This invite is for another e-mail address; ask for an invite to yours.");
  }
  if (user.verifiedAt === null) throw mailedInviteRequired();
}

/** An open invite as the holder of its link sees it; `provenEmail` is the address that a mailed link was sent to. */
export type OpenInvite = { workspaceId: number; workspace: string; email: string | null; provenEmail: string | null };

/** The open invite behind a link's token; undefined if it is not open. */
export async function findOpenInvite({ db, now }: Deps, token: string): Promise<OpenInvite | undefined> {
  const row = await db
    .selectFrom("invites")
    .innerJoin("workspaces", "workspaces.id", "invites.workspaceId")
    .select([
      "invites.workspaceId",
      "workspaces.name as workspace",
      "invites.email",
      "invites.mailedTo",
      "invites.mailedHash",
    ])
    .where(isToken(token))
    .where("invites.expiresAt", ">", now())
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { workspaceId, workspace, email, mailedTo, mailedHash } = row;
  return { workspaceId, workspace, email, provenEmail: mailedHash === sha256(token) ? mailedTo : null };
}

/** The condition that selects the invite with this token, shown or mailed. */
function isToken(token: string) {
  const hash = sha256(token);
  return ({ eb, or }: ExpressionBuilder<Pick<Schema, "invites">, "invites">) =>
    or([eb("invites.hash", "=", hash), eb("invites.mailedHash", "=", hash)]);
}

/** The problem of an invite to an address that the person has not verified. */
export function mailedInviteRequired(): Problem {
  return new Problem(
    "forbidden",
    "This invite is for an e-mail address that you have not verified; open the link in the mail to that address.",
  );
}

/** The problem of a link that is unknown, used, revoked or expired; it does not say which. */
export function inviteClosed(): Problem {
  return new Problem("not_found", "This invite has been used, revoked or has expired; ask for a new one.");
}

/** Deletes expired invites, and returns how many; for the cleanup task. */
export async function forgetExpiredInvites({ db, now }: Deps): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom("invites").where("expiresAt", "<=", now()).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
