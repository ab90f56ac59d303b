import { Problem } from "../base/problem.ts";
import { Turns } from "../base/turns.ts";

/** One takes 64 MiB and tens of milliseconds; all the callers of this process together get no more. */
export const hashingMax = 4;
/** Beyond these, a caller is told to come back: the last of them waits for about a second. */
export const hashingWaitingMax = 64;

const turns = new Turns({ runningMax: hashingMax, waitingMax: hashingWaitingMax });

/**
 * The argon2id hash of a user's or a link's password. Slow by design: never inside a transaction.
 * Throws "unavailable" when too many are being hashed.
 */
export async function passwordHashOf(password: string): Promise<string> {
  return await inTurn(() => Bun.password.hash(password, "argon2id"));
}

/** Whether a password is the one of this hash. As slow, and throws the same, as passwordHashOf. */
export async function fitsPasswordHash(password: string, hash: string): Promise<boolean> {
  return await inTurn(() => Bun.password.verify(password, hash));
}

async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
  const turn = await turns.run(work);
  if (turn.kind === "done") return turn.value;
  throw new Problem("unavailable", "Too many passwords are being set at the moment; try again in a few seconds.");
}
