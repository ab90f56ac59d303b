import { Problem } from "../base/problem.ts";
import { type NotRun, type RunOptions, Semaphore } from "../base/semaphore.ts";

/**
 * Hashing passwords.
 *
 * 1. One hash takes 64 MiB and tens of milliseconds of a core, so hashes wait in queues with few places.
 * 2. Accounts have a queue for themselves: links and shares, which any tenant can protect with a password, never
 *    delay a sign-in by more than the hashes that are running.
 * 3. A hash that is running cannot be stopped. One that waits is dropped when its client disconnects.
 */

/** Hashes that run at once, and that wait, for each queue; the last one waits for about a second. */
export const hashingMax = 2;
export const hashingWaitingMax = 64;
/** Hashes for links and shares that one workspace may have waiting. */
export const workspaceWaitingMax = 2;
/** Hashes for accounts that one network (see networkOf) or one account may have waiting. */
export const accountWaitingMax = 4;

const bounds = { runningMax: hashingMax, waitingMax: hashingWaitingMax };
const queues = {
  accounts: new Semaphore({ ...bounds, waitingPerPartyMax: accountWaitingMax }),
  workspaces: new Semaphore({ ...bounds, waitingPerPartyMax: workspaceWaitingMax }),
};
const busySeconds = 2;

/**
 * For whom a password is hashed: an account, by the network or the account's id; or a workspace's link or share, which
 * a visitor may have asked for.
 */
export type HashFor = ({ account: string } | { workspaceId: number; isVisitor?: true }) & Pick<RunOptions, "signal">;

/** The problem of a call whose client has disconnected, which nobody reads. */
export function clientGone(): Problem {
  return new Problem("bad_request", "The client has disconnected.");
}

/**
 * The argon2id hash of a user's, a link's or a share's password. Slow by design: never inside a transaction.
 * Throws "unavailable" when the queue is full, "rate_limit_exceeded" when the workspace's part of it is, clientGone.
 */
export async function passwordHashOf(password: string, whom: HashFor): Promise<string> {
  return await inTurn(whom, () => Bun.password.hash(password, "argon2id"));
}

/** True when the password is the one of this hash. As slow, and throws the same, as passwordHashOf. */
export async function fitsPasswordHash(password: string, hash: string, whom: HashFor): Promise<boolean> {
  return await inTurn(whom, () => Bun.password.verify(password, hash));
}

async function inTurn<Value>(whom: HashFor, work: () => Promise<Value>): Promise<Value> {
  const { signal } = whom;
  const turn =
    "account" in whom
      ? await queues.accounts.run(work, { party: whom.account, signal })
      : await queues.workspaces.run(work, { party: String(whom.workspaceId), signal });
  if (turn.kind === "done") return turn.value;
  throw refusalOf(turn, whom);
}

function refusalOf({ kind }: NotRun, whom: HashFor): Problem {
  if (kind === "aborted") return clientGone();
  if (kind === "partyFull" && "workspaceId" in whom && whom.isVisitor !== true) {
    return new Problem(
      "rate_limit_exceeded",
      `This workspace has ${workspaceWaitingMax} passwords waiting to be hashed; send fewer calls with passwords at once.`,
      { retryAfterSeconds: busySeconds },
    );
  }
  return new Problem("unavailable", "Too many passwords are being checked at the moment; try again in a few seconds.", {
    retryAfterSeconds: busySeconds,
  });
}
