import { expect } from "bun:test";
import { isoTime, secondMs } from "../../src/base/time.ts";

const lifetimeMs = 2 * secondMs;
/** Lifetimes of successive attempts; they grow, because a busy machine may pause for longer than the first ones. */
const attemptsMax = 6;
const betweenMs = 25;

/** Requests the created object, and resolves with the status. */
type Ask = () => Promise<number>;

/**
 * Makes an object that expires, and requests it until it has expired. Fails unless every response received before the
 * expiry has status 200 (at least one), and every request sent after the expiry gets the status `expired`.
 * `make` gets the instant of the expiry, and resolves with undefined if the server refused to make the object.
 */
export async function expectExpires(make: (expiresAt: string) => Promise<Ask | undefined>, expired: number) {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const expiresAt = Date.now() + attempt * lifetimeMs;
    const ask = await make(isoTime(expiresAt));
    // The object has already expired.
    if (ask === undefined && Date.now() >= expiresAt) continue;
    if (ask === undefined) throw new Error("The server refused to make an object that expires in the future.");
    const answers = await askUntilLater(ask, expiresAt);
    const before = answers.filter(({ receivedAt }) => receivedAt < expiresAt);
    const after = answers.filter(({ sentAt }) => sentAt >= expiresAt);
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => expired));
    if (before.length > 0) return;
  }
  throw new Error(`None of ${attemptsMax} objects was received before its expiry.`);
}

/** Repeats the request until one is sent at or after `instant`. */
async function askUntilLater(ask: Ask, instant: number) {
  const answers: { sentAt: number; status: number; receivedAt: number }[] = [];
  for (let sentAt = Date.now(); ; sentAt = Date.now()) {
    const status = await ask();
    answers.push({ sentAt, status, receivedAt: Date.now() });
    if (sentAt >= instant) return answers;
    await Bun.sleep(betweenMs);
  }
}
