import { expect } from "bun:test";
import { isoTime, secondMs } from "../../src/base/time.ts";

const lifeMs = 2 * secondMs;
/** Lifetimes of successive attempts; they grow, because a busy machine may pause for longer than the first ones. */
const livesMax = 6;
const betweenMs = 25;

/** Requests the created object, and resolves with the status. */
type Ask = () => Promise<number>;

/**
 * Makes something that ends, and asks for it until it has ended. Fails unless every answer that came before its end is
 * 200 (at least one), and every question sent from its end on is answered `ended`.
 * `make` is given the instant of the end, and resolves with undefined where making it was refused.
 */
export async function expectExpires(make: (expiresAt: string) => Promise<Ask | undefined>, ended: number) {
  for (let life = 1; life <= livesMax; life++) {
    const expiresAt = Date.now() + life * lifeMs;
    const ask = await make(isoTime(expiresAt));
    // The object has already expired.
    if (ask === undefined && Date.now() >= expiresAt) continue;
    if (ask === undefined) throw new Error("What ends in the future was not made.");
    const answers = await askUntilLater(ask, expiresAt);
    const before = answers.filter(({ receivedAt }) => receivedAt < expiresAt);
    const after = answers.filter(({ sentAt }) => sentAt >= expiresAt);
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => ended));
    if (before.length > 0) return;
  }
  throw new Error(`None of ${livesMax} was answered before its end.`);
}

/** Asks time and again, and once from `instant` on. */
async function askUntilLater(ask: Ask, instant: number) {
  const answers: { sentAt: number; status: number; receivedAt: number }[] = [];
  for (let sentAt = Date.now(); ; sentAt = Date.now()) {
    const status = await ask();
    answers.push({ sentAt, status, receivedAt: Date.now() });
    if (sentAt >= instant) return answers;
    await Bun.sleep(betweenMs);
  }
}
