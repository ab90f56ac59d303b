import { sql } from "kysely";
import { currentBlocks } from "../access/blocks.ts";
import { deleteUser, type OnlyOwned, onlyOwnedWorkspaces, type UserDeletion } from "../access/delete-user.ts";
import { exportUser } from "../access/export-user.ts";
import { sendAccountMail } from "../access/mail-account-change.ts";
import { revokeAccess } from "../access/revoke-access.ts";
import { revokeSignInLinks } from "../access/revoke-sign-ins.ts";
import { endSessionsOf, revokeSession } from "../access/sessions.ts";
import { asEmailConflict, normalizeEmail } from "../access/users.ts";
import { invalid, Problem } from "../base/problem.ts";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Operator, type OperatorDeps, recordOperation, refuseOwnAccount } from "./operator.ts";
import { containing, type PageRequest } from "./page.ts";

/** A person as operators see them. */
export type Person = {
  id: string;
  email: string | null;
  name: string;
  /** A blocked account is "blocked" even if it is also disabled. */
  state: "active" | "disabled" | "blocked";
  isDisabled: boolean;
  isAdministrator: boolean;
  emailVerified: boolean;
  hasOneTimeCodes: boolean;
  hasPasskeys: boolean;
  /** True if an identity provider signs them in, or did. */
  hasIdentities: boolean;
  /** The number of their workspaces. */
  workspaces: number;
  /** The last use of a session; null without one. */
  lastSeenAt: string | null;
  createdAt: string;
};

/** Lists people, oldest account first; `search` is part of a name or e-mail address, `after` an id. */
export async function listPeople(db: Db, { search, after, limit }: PageRequest<string>): Promise<Person[]> {
  let query = peopleIn(db).orderBy("users.id").limit(limit);
  if (after !== undefined) query = query.where("users.id", ">", after);
  if (search !== undefined) {
    const pattern = containing(search);
    query = query.where(
      sql<boolean>`(lower("users"."name") like ${pattern} escape '\\' or "users"."email" like ${pattern} escape '\\')`,
    );
  }
  const blocks = await currentBlocks(db);
  return (await query.execute()).map((row) => toPerson(row, blocks.hasUser(row.id)));
}

/** The person with this id or e-mail address. Throws "not_found". */
export async function findPerson(db: Db, idOrEmail: string): Promise<Person> {
  const email = normalizeEmail(idOrEmail);
  const row = await peopleIn(db)
    .where(email === undefined ? "users.id" : "users.email", "=", email ?? idOrEmail.trim())
    .executeTakeFirst();
  if (row === undefined) throw new Problem("not_found", `There is no user ${idOrEmail}.`);
  return toPerson(row, (await currentBlocks(db)).hasUser(row.id));
}

function peopleIn(db: Db) {
  return db
    .selectFrom("users")
    .select(["users.id", "users.email", "users.name", "users.disabledAt", "users.verifiedAt", "users.createdAt"])
    .select("users.isAdministrator")
    .select(({ selectFrom }) => [
      selectFrom("members")
        .select((count) => count.fn.countAll<number>().as("count"))
        .whereRef("members.userId", "=", "users.id")
        .as("workspaces"),
      selectFrom("sessions")
        .select((last) => last.fn.max("sessions.lastSeenAt").as("last"))
        .whereRef("sessions.userId", "=", "users.id")
        .as("lastSeenAt"),
      selectFrom("oneTimeCodes")
        .select("oneTimeCodes.confirmedAt")
        .whereRef("oneTimeCodes.userId", "=", "users.id")
        .as("codesSince"),
      selectFrom("passkeys")
        .select((count) => count.fn.countAll<number>().as("count"))
        .whereRef("passkeys.userId", "=", "users.id")
        .as("passkeys"),
      selectFrom("identities")
        .select((count) => count.fn.countAll<number>().as("count"))
        .whereRef("identities.userId", "=", "users.id")
        .as("identities"),
    ])
    .where("users.deletedAt", "is", null);
}

type Row = {
  id: string;
  email: string | null;
  name: string;
  disabledAt: number | null;
  verifiedAt: number | null;
  createdAt: number;
  isAdministrator: 0 | 1;
  workspaces: number | null;
  lastSeenAt: number | null;
  codesSince: number | null;
  passkeys: number | null;
  identities: number | null;
};

function toPerson(row: Row, isBlocked: boolean): Person {
  const { id, email, name } = row;
  return {
    ...{ id, email, name },
    state: isBlocked ? "blocked" : row.disabledAt === null ? "active" : "disabled",
    isDisabled: row.disabledAt !== null,
    isAdministrator: row.isAdministrator === 1,
    emailVerified: row.verifiedAt !== null,
    hasOneTimeCodes: row.codesSince !== null,
    hasPasskeys: (row.passkeys ?? 0) > 0,
    hasIdentities: (row.identities ?? 0) > 0,
    workspaces: row.workspaces ?? 0,
    lastSeenAt: isoTimeOrNull(row.lastSeenAt),
    createdAt: isoTime(row.createdAt),
  };
}

/**
 * Disables an account: the person cannot sign in, and their sessions, API keys, one-time links and open invites end.
 * Their links keep working. Returns the workspaces that no enabled owner is left in.
 * Throws "not_found", and "conflict" for a disabled account and for the operator's own.
 */
export async function disablePerson(
  deps: OperatorDeps,
  operator: Operator,
  idOrEmail: string,
): Promise<{ id: string; email: string | null; withoutOwner: OnlyOwned[] }> {
  const { id, email } = await findPerson(deps.db, idOrEmail);
  refuseOwnAccount(operator, id);
  const withoutOwner = await transact(deps.db, async (tx) => {
    const at = deps.now();
    const { numUpdatedRows } = await tx
      .updateTable("users")
      .set({ disabledAt: at })
      .where("id", "=", id)
      .where("disabledAt", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new Problem("conflict", `The account ${idOrEmail} is already disabled.`);
    await revokeAccess(tx, id, at);
    return await onlyOwnedWorkspaces(tx, id);
  });
  recordOperation(deps, operator, "user disable", { user: id });
  return { id, email, withoutOwner };
}

/**
 * Enables a disabled account: the person can sign in again, with the same password and memberships. Sessions, API keys
 * and invites do not come back, because another person may have them. Throws "not_found", "conflict".
 */
export async function enablePerson(
  deps: OperatorDeps,
  operator: Operator,
  idOrEmail: string,
): Promise<{ id: string; email: string | null }> {
  const { id, email } = await findPerson(deps.db, idOrEmail);
  const { numUpdatedRows } = await deps.db
    .updateTable("users")
    .set({ disabledAt: null })
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .where("disabledAt", "is not", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Problem("conflict", `The account ${idOrEmail} is not disabled.`);
  recordOperation(deps, operator, "user enable", { user: id });
  return { id, email };
}

/** A person's data, as exportUser returns it. Throws "not_found". */
export async function exportPerson(deps: OperatorDeps, operator: Operator, idOrEmail: string) {
  const { id } = await findPerson(deps.db, idOrEmail);
  const data = await exportUser(deps, id);
  recordOperation(deps, operator, "user export", { user: id });
  return data;
}

/**
 * A person's data, as exportPerson returns it, for a deletion that follows; nothing is exported, or recorded, when the
 * deletion would be refused. Throws "not_found".
 */
export async function exportForDeletion(deps: OperatorDeps, operator: Operator, idOrEmail: string) {
  const { id } = await findPerson(deps.db, idOrEmail);
  const workspaces = await onlyOwnedWorkspaces(deps.db, id);
  if (workspaces.length > 0) return { kind: "onlyOwner", workspaces } as const;
  return { kind: "exported", data: await exportPerson(deps, operator, id) } as const;
}

/** Deletes an account, as deleteUser does. Throws "not_found", and "conflict" for the operator's own. */
export async function deletePerson(
  deps: OperatorDeps,
  operator: Operator,
  idOrEmail: string,
): Promise<UserDeletion & { id: string }> {
  const { id } = await findPerson(deps.db, idOrEmail);
  refuseOwnAccount(operator, id);
  const result = await transact(deps.db, (tx) => deleteUser(tx, id, deps.now()));
  if (result.kind === "deleted") recordOperation(deps, operator, "user delete", { user: id });
  return { ...result, id };
}

/**
 * Changes the e-mail address of an account and ends its one-time links. A verified account stays verified, since the
 * operator vouches for the address; with a running server, its earlier address gets a mail.
 * Throws "not_found", "unprocessable_entity", "conflict" for an address in use.
 */
export async function changePersonsEmail(
  deps: OperatorDeps & { mailer: Mailer | undefined; config: Pick<Config, "WAYPOST_URL"> },
  operator: Operator,
  { user, email: text }: { user: string; email: string },
): Promise<{ id: string; email: string }> {
  const email = normalizeEmail(text);
  if (email === undefined) throw invalid("email", "must be an e-mail address such as you@example.com.");
  const { id, email: earlier, emailVerified } = await findPerson(deps.db, user);
  try {
    await transact(deps.db, async (tx) => {
      await tx.updateTable("users").set({ email }).where("id", "=", id).where("deletedAt", "is", null).execute();
      await revokeSignInLinks(tx, id);
    });
  } catch (error) {
    throw asEmailConflict(error, email);
  }
  recordOperation(deps, operator, "user email", { user: id });
  if (earlier !== null && earlier !== email && emailVerified) {
    const change = { kind: "emailChanged", email } as const;
    if (deps.mailer !== undefined) {
      void sendAccountMail({ ...deps, mailer: deps.mailer }, { id, to: earlier }, change);
    }
  }
  return { id, email };
}

/** Throws "conflict" for a person without a verified address: an unverified one may belong to another person. */
export function requireVerified(
  user: string,
  { email, emailVerified }: { email: string | null; emailVerified: boolean },
): void {
  if (email === null) {
    throw new Problem(
      "conflict",
      `${user} has no e-mail address. Add one and verify it: waypost user email <user> <email>, waypost user verify --email <email>.`,
    );
  }
  if (emailVerified) return;
  const advice = "Verify it first: waypost user verify --email <email>.";
  throw new Problem("conflict", `The address of ${user} is not verified. ${advice}`);
}

/** Makes a person an administrator of the instance, or ends that. Throws "not_found", "conflict" without a change. */
export async function setAdministrator(
  deps: OperatorDeps,
  { user, isAdministrator }: { user: string; isAdministrator: boolean },
): Promise<{ id: string; email: string | null; isAdministrator: boolean }> {
  const { id, email, emailVerified } = await findPerson(deps.db, user);
  if (isAdministrator) requireVerified(user, { email, emailVerified });
  const flag = isAdministrator ? 1 : 0;
  const { numUpdatedRows } = await deps.db
    .updateTable("users")
    .set({ isAdministrator: flag })
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .where("isAdministrator", "<>", flag)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) {
    throw new Problem("conflict", `${user} is ${isAdministrator ? "already" : "not"} an administrator.`);
  }
  recordOperation(deps, null, "user administrator", { user: id, isAdministrator });
  return { id, email, isAdministrator };
}

/** Ends one session of a person, or all of them; returns how many. Throws "not_found". */
export async function endPersonsSessions(
  deps: OperatorDeps,
  operator: Operator,
  { user, session }: { user: string; session?: string | undefined },
): Promise<{ id: string; ended: number }> {
  const { id } = await findPerson(deps.db, user);
  const ended =
    session === undefined
      ? await transact(deps.db, (tx) => endSessionsOf(tx, id))
      : await revokeSession(deps, id, session).then(() => 1);
  recordOperation(deps, operator, "user sessions", { user: id, ended });
  return { id, ended };
}
