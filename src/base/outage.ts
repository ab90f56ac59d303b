import type { DiskFailure } from "./disk-failure.ts";
import type { Log } from "./log.ts";
import { hourMs, minuteMs } from "./time.ts";

/** How often an outage that lasts is logged. */
const logEveryMs = hourMs;
/** An outage that follows another so soon is logged only when it lasts: on a nearly full disk they alternate. */
const quietMs = minuteMs;

/** What an outage is logged as, and its end. */
export type OutageMessages = { begins: string; ends: string };

/**
 * Logs that something cannot be used: at once with the reason and what to do, then once an hour, and that it works again.
 * Several parts of the program may notice the same outage; it ends when all of them work again.
 */
export class Outage {
  readonly #messages: OutageMessages;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #failing = new Set<string>();
  /** The reason that was logged of the outage under way. */
  #loggedReason: string | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(messages: OutageMessages, { log, now }: { log: Log; now: () => number }) {
    this.#messages = messages;
    this.#log = log;
    this.#now = now;
  }

  /** Notes that a part of the program has failed. */
  recordFailure(part: string, { reason, advice }: DiskFailure): void {
    this.#failing.add(part);
    const age = this.#now() - this.#loggedAt;
    if (this.#loggedReason === reason ? age < logEveryMs : age < quietMs) return;
    this.#loggedReason = reason;
    this.#loggedAt = this.#now();
    this.#log.error(this.#messages.begins, { reason, hint: advice });
  }

  /** Notes that a part of the program works. */
  recordSuccess(part: string): void {
    this.#failing.delete(part);
    if (this.#failing.size > 0 || this.#loggedReason === undefined) return;
    this.#loggedReason = undefined;
    this.#log.info(this.#messages.ends);
  }
}
