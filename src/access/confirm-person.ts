import { invalid, Problem } from "../base/problem.ts";
import { minuteMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import type { AttemptLimits } from "./attempts.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { hasPasswordSignIn } from "./password-sign-in.ts";

/** A person without a password must have signed in within this time. */
const freshMs = 10 * minuteMs;

type Deps = {
  db: Db;
  now: () => number;
  config: Pick<Config, "WAYPOST_PASSWORD_SIGN_IN">;
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
  { userId, sessionId, hasSecondFactor }: OwnSession,
  currentPassword: string | undefined,
): Promise<void> {
  const user = await db
    .selectFrom("users")
    .innerJoin("sessions", "sessions.userId", "users.id")
    .leftJoin("oneTimeCodes", "oneTimeCodes.userId", "users.id")
    .select(["users.email", "users.passwordHash", "sessions.createdAt", "oneTimeCodes.confirmedAt"])
    .where("users.id", "=", userId)
    .where("sessions.id", "=", sessionId)
    .executeTakeFirst();
  if (user === undefined) throw new Problem("unauthorized", "This session has ended; sign in again.");
  if (user.confirmedAt !== null && !hasSecondFactor) {
    throw new Problem("forbidden", "Sign in again with your second factor to do this.");
  }
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
