import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { AttemptLimits } from "./attempts.ts";
import { accountBlocked, currentBlocks } from "./blocks.ts";
import { accountDisabled } from "./disabled-user.ts";
import { dummyHash } from "./dummy-hash.ts";
import { knownBrowser } from "./known-browser.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { normalizeEmail, type User } from "./users.ts";

/** The client of a sign-in: its address, and the token of a browser that may have signed in before. */
type SignInRequest = { address: string; browser?: string | undefined; signal: AbortSignal };

/** A user whose password was right, and the hash that it was compared with. */
type SignedIn = { user: User; passwordHash: string };

/**
 * The user with this e-mail address and password.
 * Guarantee: neither the response nor its time tells an unknown address from a wrong password. A browser that has
 * signed in to the account before has its own attempts.
 * Throws "forbidden" for a blocked or disabled user, "unauthorized" for an unknown address or a wrong password,
 * "rate_limit_exceeded" beyond the limits, "unavailable" while too many passwords are being checked.
 */
export async function findByPassword(
  { db, limits }: { db: Db; limits: AttemptLimits },
  { address, browser: token, signal }: SignInRequest,
  { email, password }: { email: string; password: string },
): Promise<SignedIn> {
  const account = normalizeEmail(email) ?? email;
  const user = await db
    .selectFrom("users")
    .select(["id", "email", "name", "verifiedAt", "createdAt", "passwordHash", "disabledAt"])
    .where("email", "=", account)
    .executeTakeFirst();
  const hash = user?.passwordHash ?? dummyHash;
  const isRight = async () =>
    (await fitsPasswordHash(password, hash, { account: networkOf(address), signal })) && hash !== dummyHash;
  const browser = knownBrowser(user, token);
  if (!(await limits.check({ address, account, browser }, isRight)) || !user?.passwordHash) {
    throw new Problem("unauthorized", "The e-mail address or password is incorrect.");
  }
  if ((await currentBlocks(db)).hasUser(user.id)) throw accountBlocked();
  if (user.disabledAt !== null) throw accountDisabled();
  const { passwordHash, disabledAt: _, ...rest } = user;
  return { user: rest, passwordHash };
}
