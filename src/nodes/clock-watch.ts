import { sql } from "kysely";
import type { Log } from "../base/log.ts";
import { Outage } from "../base/outage.ts";
import { secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";

/** How far the clock of a node may be from that of PostgreSQL: removals need clocks that agree within a minute. */
const offsetMaxSeconds = 30;

type Deps = { db: Db; log: Log; now: () => number };

/** Compares the clock of a node with that of PostgreSQL, which all nodes share, and logs when they disagree. */
export class ClockWatch {
  readonly #deps: Deps;
  readonly #outage: Outage;

  constructor(deps: Deps) {
    this.#deps = deps;
    const messages = {
      begins: "The clock of this machine disagrees with PostgreSQL's: clicks of all nodes may be removed too early.",
      ends: "The clock of this machine agrees with PostgreSQL's again.",
    };
    this.#outage = new Outage(messages, deps);
  }

  /**
   * Returns by how many seconds this clock is ahead of PostgreSQL's, give or take half of a query's time; negative when it
   * is behind.
   */
  async check(): Promise<number> {
    const seconds = (await this.#offsetMs()) / secondMs;
    if (Math.abs(seconds) > offsetMaxSeconds) {
      const distance = `${Math.round(Math.abs(seconds))} seconds ${seconds > 0 ? "ahead" : "behind"}`;
      this.#outage.recordFailure("clock", { reason: `It is ${distance}.`, advice: "Set both clocks by NTP." });
    } else {
      this.#outage.recordSuccess("clock");
    }
    return seconds;
  }

  async #offsetMs(): Promise<number> {
    const { db, now } = this.#deps;
    const before = now();
    const { rows } = await sql<{ at: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at`.execute(db);
    return (before + now()) / 2 - (rows[0]?.at ?? before);
  }
}
