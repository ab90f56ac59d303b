import type { OutageCause } from "./disk-failure.ts";
import type { Log } from "./log.ts";
import { hourMs, minuteMs } from "./time.ts";

/** How often a continuing outage is logged. */
const logEveryMs = hourMs;
/** An outage that follows another within this time is logged only if it lasts: on a nearly full disk they alternate. */
const quietMs = minuteMs;

/** The log messages for the beginning and the end of an outage. */
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
  /** The reasons of the current outage that were logged in the last hour. */
  readonly #loggedReasons = new Set<string>();
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(messages: OutageMessages, { log, now }: { log: Log; now: () => number }) {
    this.#messages = messages;
    this.#log = log;
    this.#now = now;
  }

  /** Records that a part of the program failed. */
  recordFailure(part: string, { reason, advice }: OutageCause): void {
    this.#failing.add(part);
    const age = this.#now() - this.#loggedAt;
    if (age < quietMs) return;
    if (age >= logEveryMs) this.#loggedReasons.clear();
    if (this.#loggedReasons.has(reason)) return;
    this.#loggedReasons.add(reason);
    this.#loggedAt = this.#now();
    this.#log.error(this.#messages.begins, { reason, hint: advice });
  }

  /** Records that a part of the program works. */
  recordSuccess(part: string): void {
    this.#failing.delete(part);
    if (this.#failing.size > 0 || this.#loggedReasons.size === 0) return;
    this.#loggedReasons.clear();
    this.#log.info(this.#messages.ends);
  }
}
