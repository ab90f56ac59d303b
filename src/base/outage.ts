import type { DiskFailure } from "./disk-failure.ts";
import type { Log } from "./log.ts";
import { hourMs, minuteMs } from "./time.ts";

/** How often a continuing outage is logged. */
const logEveryMs = hourMs;
/** An outage that follows another within this time is logged only if it lasts: on a nearly full disk they alternate. */
const quietMs = minuteMs;

/** The log messages for the begin and the end of an outage. */
type OutageMessages = { begins: string; ends: string };

/**
 * Logs an outage of a resource at once with reason and advice, then once an hour, and logs its end.
 * Several parts of the program may report the same outage; it ends when all of them work again.
 */
export class Outage {
  readonly #messages: OutageMessages;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #failing = new Set<string>();
  /** The logged reason of the current outage. */
  #loggedReason: string | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(messages: OutageMessages, { log, now }: { log: Log; now: () => number }) {
    this.#messages = messages;
    this.#log = log;
    this.#now = now;
  }

  /** Records that a part of the program failed. */
  recordFailure(part: string, { reason, advice }: DiskFailure): void {
    this.#failing.add(part);
    const age = this.#now() - this.#loggedAt;
    if (this.#loggedReason === reason ? age < logEveryMs : age < quietMs) return;
    this.#loggedReason = reason;
    this.#loggedAt = this.#now();
    this.#log.error(this.#messages.begins, { reason, hint: advice });
  }

  /** Records that a part of the program works. */
  recordSuccess(part: string): void {
    this.#failing.delete(part);
    if (this.#failing.size > 0 || this.#loggedReason === undefined) return;
    this.#loggedReason = undefined;
    this.#log.info(this.#messages.ends);
  }
}
