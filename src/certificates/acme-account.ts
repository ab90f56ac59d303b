import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Selectable } from "kysely";
import { hourMs, minuteMs } from "../base/time.ts";
import type { AcmeAccountsTable } from "../database/certificate-tables.ts";
import type { Db } from "../database/database.ts";
import type { AcmeAccount, AcmeProblem } from "./acme-calls.ts";
import type { Authority, AuthorityProblem } from "./authority.ts";
import type { SealedKeys } from "./sealed-keys.ts";

/**
 * The instance's account at its authority.
 *
 * 1. A failure that concerns the account pauses all orders, with back-off: an authority that is down, that limits the
 *    account, or that refuses to register it.
 * 2. A limit may concern one name or one workspace only. Therefore the pause is shorter than the authority asks, and the
 *    first order after it runs alone, for another workspace if one waits; see order-due-certificates.ts. A workspace whose
 *    names wait for such a limit does not cause another pause.
 * 3. An account that the authority has closed is replaced by a new one, at most once an hour.
 */

type Deps = { db: Db; now: () => number; authority: Authority; keys: SealedKeys; email: string | undefined };

const replaceEveryMs = hourMs;
const pauseMsMin = minuteMs;
const limitedPauseMsMin = 10 * minuteMs;
const pauseMsMax = 6 * hourMs;
/** Failures that lengthen the pause; more would only overflow. */
const failuresCounted = 20;

const newKeyPair = promisify(generateKeyPair);

/** Returns a new private key as PEM: P-256, which every authority accepts and which signs fast. */
export async function newPrivateKey(): Promise<string> {
  const { privateKey } = await newKeyPair("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The end of the pause of all orders, and how often they failed in a row. */
export async function accountPause(
  { db, now }: Pick<Deps, "db" | "now">,
  directory: string,
): Promise<{ until: number; failures: number; problem: string | null }> {
  const row = await db
    .selectFrom("acmeAccounts")
    .select(["pausedUntil", "failures", "problem"])
    .where("directory", "=", directory)
    .executeTakeFirst();
  const pausedUntil = row?.pausedUntil ?? 0;
  // A later time was written while the clock was ahead.
  const until = pausedUntil > now() + pauseMsMax ? 0 : pausedUntil;
  return { until, failures: row?.failures ?? 0, problem: row?.problem ?? null };
}

/**
 * Returns the account, and registers it first if necessary. Throws AuthorityProblem, and WrongSecret when its key
 * cannot be read, which is then never replaced.
 */
export async function openAccount({ db, now, authority, keys, email }: Deps): Promise<AcmeAccount> {
  const { directory } = authority;
  const stored = await storedAccount({ db, now, keys }, directory);
  const accountKey = keys.open(stored.sealedKey, "acmeAccounts.sealedKey", directory);
  if (stored.url !== null && stored.email === (email ?? null)) return { accountKey, accountUrl: stored.url };
  const accountUrl = await authority.call("register", { accountKey, accountUrl: stored.url ?? undefined, email });
  await db
    .updateTable("acmeAccounts")
    .set({ url: accountUrl, email: email ?? null })
    .where("directory", "=", directory)
    .execute();
  return { accountKey, accountUrl };
}

/** Returns the stored account; creates one with a new key first if there is none, so that a failure can be recorded. */
export async function storedAccount(
  { db, now, keys }: Pick<Deps, "db" | "now" | "keys">,
  directory: string,
): Promise<Selectable<AcmeAccountsTable>> {
  const found = await findAccount(db, directory);
  if (found !== undefined) return found;
  const row = {
    ...{ directory, sealedKey: keys.seal(await newPrivateKey(), "acmeAccounts.sealedKey", directory) },
    ...{ url: null, email: null, pausedUntil: null, failures: 0, problem: null, createdAt: now() },
  };
  await db.insertInto("acmeAccounts").values(row).execute();
  return row;
}

/** Records a failure that concerns the account, and returns the end of the pause. */
export async function pauseAccount(
  { db, now, authority }: Pick<Deps, "db" | "now" | "authority">,
  problem: AcmeProblem,
): Promise<number> {
  const { directory } = authority;
  const failures = ((await findAccount(db, directory))?.failures ?? 0) + 1;
  const isLimit = problem.kind === "refused" && problem.type === "rateLimited";
  const backOffMs = (isLimit ? limitedPauseMsMin : pauseMsMin) * 2 ** Math.min(failures - 1, failuresCounted);
  const requestedMs = problem.retryAfterMs ?? (isLimit ? backOffMs : 0);
  const pauseMs = Math.min(pauseMsMax, isLimit ? Math.min(backOffMs, requestedMs) : Math.max(backOffMs, requestedMs));
  const pausedUntil = now() + pauseMs;
  await db
    .updateTable("acmeAccounts")
    .set({ failures, pausedUntil, problem: problem.text })
    .where("directory", "=", directory)
    .execute();
  return pausedUntil;
}

/** Ends the back-off after an order that the authority accepted. */
export async function resumeAccount(db: Db, directory: string): Promise<void> {
  await db
    .updateTable("acmeAccounts")
    .set({ failures: 0, pausedUntil: null, problem: null })
    .where("directory", "=", directory)
    .where("failures", ">", 0)
    .execute();
}

/** True for an error that says that the authority no longer accepts the account. */
export function isAccountClosed(error: AuthorityProblem): boolean {
  const { problem } = error;
  return problem.kind === "refused" && ["accountDoesNotExist", "unauthorized"].includes(problem.type);
}

/** Forgets a closed account, so that the next order registers a new one; false if that happened recently. */
export async function replaceAccount({ db, now }: Pick<Deps, "db" | "now">, directory: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("acmeAccounts")
    .where("directory", "=", directory)
    .where("createdAt", "<=", now() - replaceEveryMs)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

async function findAccount(db: Db, directory: string) {
  return await db.selectFrom("acmeAccounts").selectAll().where("directory", "=", directory).executeTakeFirst();
}
