import { Problem } from "../base/problem.ts";
import { type NotRun, type RunOptions, Semaphore } from "../base/semaphore.ts";

/**
 * Hashes passwords.
 *
 * 1. One hash takes 64 MiB and tens of milliseconds of a core, so hashes wait in short queues.
 * 2. Accounts have their own queue: links and shares, which any tenant can protect with a password, delay a sign-in
 *    only by the hashes that are running.
 * 3. A running hash cannot be stopped. A waiting one is dropped when its client disconnects.
 */

/** Running and waiting hashes of each queue; the last one waits for about a second. */
export const hashingMax = 2;
export const hashingWaitingMax = 64;
/** Waiting hashes for links and shares of one workspace. */
const workspaceWaitingMax = 2;
/** Waiting hashes for accounts, per network (see networkOf) or account. */
export const accountWaitingMax = 4;

const bounds = { runningMax: hashingMax, waitingMax: hashingWaitingMax };
const queues = {
  accounts: new Semaphore({ ...bounds, waitingPerPartyMax: accountWaitingMax }),
  workspaces: new Semaphore({ ...bounds, waitingPerPartyMax: workspaceWaitingMax }),
};
const refused = { accounts: 0, workspaces: 0 };
const busySeconds = 2;

/** The load of a queue of this process, and how many hashes it has refused since the start. */
type HashingLoad = { running: number; waiting: number; refused: number };

/** Returns the load of each queue: `accounts` for users, `workspaces` for links and shares. */
export function hashingLoads(): Record<keyof typeof queues, HashingLoad> {
  return {
    accounts: { ...queues.accounts.load, refused: refused.accounts },
    workspaces: { ...queues.workspaces.load, refused: refused.workspaces },
  };
}

/**
 * The owner of a password: an account, by its network or id; or a link or share of a workspace, for a visitor perhaps.
 */
export type HashFor = ({ account: string } | { workspaceId: number; isVisitor?: true }) & Pick<RunOptions, "signal">;

/** The problem of a call whose client has disconnected; nobody reads it. */
export function clientGone(): Problem {
  return new Problem("bad_request", "The client has disconnected.");
}

/**
 * The argon2id hash of the password of a user, link or share. Slow by design: never call it inside a transaction.
 * Throws "unavailable" when the queue is full, "rate_limit_exceeded" when the workspace's share of it is, and
 * clientGone.
 */
export async function passwordHashOf(password: string, hashFor: HashFor): Promise<string> {
  return await queued(hashFor, () => Bun.password.hash(password, "argon2id"));
}

/** True when the hash is of this password. As slow as passwordHashOf, with the same errors. */
export async function fitsPasswordHash(password: string, hash: string, hashFor: HashFor): Promise<boolean> {
  return await queued(hashFor, () => Bun.password.verify(password, hash));
}

async function queued<Value>(hashFor: HashFor, work: () => Promise<Value>): Promise<Value> {
  const { signal } = hashFor;
  const turn =
    "account" in hashFor
      ? await queues.accounts.run(work, { party: hashFor.account, signal })
      : await queues.workspaces.run(work, { party: String(hashFor.workspaceId), signal });
  if (turn.kind === "done") return turn.value;
  if (turn.kind !== "aborted") refused["account" in hashFor ? "accounts" : "workspaces"]++;
  throw refusalOf(turn, hashFor);
}

function refusalOf({ kind }: NotRun, hashFor: HashFor): Problem {
  if (kind === "aborted") return clientGone();
  if (kind === "partyFull" && "workspaceId" in hashFor && hashFor.isVisitor !== true) {
    return new Problem(
      "rate_limit_exceeded",
      `This workspace has ${workspaceWaitingMax} passwords waiting to be hashed, which is the limit; send fewer requests with passwords at once.`,
      { retryAfterSeconds: busySeconds },
    );
  }
  return new Problem("unavailable", "Too many passwords are being checked at the moment; try again in a few seconds.", {
    retryAfterSeconds: busySeconds,
  });
}
