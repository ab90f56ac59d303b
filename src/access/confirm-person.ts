import { invalid, Problem } from "../base/problem.ts";
import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { AttemptLimits } from "./attempts.ts";
import { type PasskeyOptions, passkeyHost } from "./passkey-site.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { hasPasswordSignIn } from "./password-sign-in.ts";
import { canUseSecondFactor } from "./second-factors.ts";

/** A person without a password must have signed in within this time. */
const freshMs = 10 * minuteMs;

type Deps = {
  db: Db;
  now: () => number;
  config: PasskeyOptions;
  limits: AttemptLimits;
  signal?: AbortSignal;
};
/** A person who changes how they sign in, or ends their account, and the session in which they do. */
export type OwnSession = { userId: string; sessionId: string; hasSecondFactor: boolean };

/**
 * Confirms that the person, and not someone with a stolen session, changes how they sign in or deletes the account: by
 * the password, or by a recent sign-in for accounts without one and while passwords are off. A person with a second factor must have used it in
 * this session, since a password alone could otherwise replace it.
 * Throws "unprocessable_entity" for a missing or wrong password, "forbidden" for a session that is too old or lacks the
 * second factor, "rate_limit_exceeded" after too many wrong passwords.
 */
export async function confirmPerson(
  { db, now, config, limits, signal }: Deps,
  session: OwnSession,
  currentPassword: string | undefined,
): Promise<void> {
  const { userId, sessionId } = session;
  const user = await db
    .selectFrom("users")
    .innerJoin("sessions", "sessions.userId", "users.id")
    .select(["users.email", "users.passwordHash", "sessions.createdAt"])
    .where("users.id", "=", userId)
    .where("sessions.id", "=", sessionId)
    .executeTakeFirst();
  if (user === undefined) throw new Problem("unauthorized", "This session has ended; sign in again.");
  await requireOwnFactor({ db, config }, session);
  const passwordHash = hasPasswordSignIn(config) ? user.passwordHash : null;
  if (passwordHash === null) {
    if (now() - user.createdAt <= freshMs) return;
    throw new Problem("forbidden", "You signed in a while ago. Sign in again to do this.");
  }
  const given = currentPassword ?? "";
  if (given === "") throw invalid("currentPassword", "is required.");
  const isRight = () => fitsPasswordHash(given, passwordHash, { account: userId, signal });
  if (await limits.check({ address: undefined, account: user.email ?? userId }, isRight)) return;
  throw invalid("currentPassword", "is not your current password.");
}

/**
 * Throws "forbidden" unless the session has the second factor of its user, if they have one. A passkey that does not work
 * on this instance is none: nobody could sign in with it.
 */
export async function requireOwnFactor(
  { db, config }: Pick<Deps, "db" | "config">,
  { userId, hasSecondFactor }: OwnSession,
): Promise<void> {
  if (hasSecondFactor || !(await canUseSecondFactor(db, userId, passkeyHost(config)))) return;
  throw new Problem("forbidden", "Sign in again with your second factor to do this.");
}
