import { diskFailure } from "../base/disk-failure.ts";
import type { Log } from "../base/log.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { LossRecord } from "./lost-clicks.ts";
import type { Spool } from "./spool.ts";

/** How often dropped clicks are logged while clicks are being dropped. */
const logEveryMs = minuteMs;
/** How long the spool must write clicks without dropping any before the log says that it works again. */
const steadyMs = 10 * secondMs;

/** The dependencies of DropWatch. */
type DropWatchDeps = {
  directory: string;
  spool: Pick<Spool, "dropped" | "written">;
  record: LossRecord;
  log: Log;
  now: () => number;
};

/**
 * Logs and records the clicks that a spool drops: the first at once, later ones once a minute with their number. Logs
 * when clicks are written again. Call `check` every second: a killed process loses the drops since the last call.
 */
export class DropWatch {
  readonly #deps: DropWatchDeps;
  #recorded = 0;
  /**
   * The current series of drops: its clicks, how many of them were logged, the times of the last drop and the last log
   * line, and the number of clicks written at the last drop.
   */
  #drops: { clicks: number; logged: number; lastAt: number; loggedAt: number; written: number } | undefined;

  constructor(deps: DropWatchDeps) {
    this.#deps = deps;
  }

  /** Checks the spool once. */
  check(): void {
    const { spool, record, now } = this.#deps;
    const { clicks, reason } = spool.dropped();
    const fresh = clicks - this.#recorded;
    if (fresh > 0) {
      this.#recorded = clicks;
      record.count("dropped", { clicks: fresh, reason }, now());
      this.#drops ??= { clicks: 0, logged: 0, lastAt: 0, loggedAt: Number.NEGATIVE_INFINITY, written: 0 };
      this.#drops.clicks += fresh;
      this.#drops.lastAt = now();
      this.#drops.written = spool.written();
    }
    this.#log(reason);
    record.save();
  }

  #log(reason: string): void {
    const drops = this.#drops;
    if (drops === undefined) return;
    const { log, now, directory, spool } = this.#deps;
    if (drops.clicks > drops.logged && now() - drops.loggedAt >= logEveryMs) {
      const fields = { directory, clicks: drops.clicks - drops.logged, total: drops.clicks, reason };
      const hint = diskFailure(reason)?.advice;
      log.error("Clicks are dropped: visitors are redirected, but their clicks are lost.", {
        ...fields,
        ...(hint === undefined ? {} : { hint }),
      });
      drops.logged = drops.clicks;
      drops.loggedAt = now();
    }
    const isSteady = spool.written() > drops.written && now() - drops.lastAt >= steadyMs;
    if (!isSteady) return;
    log.info("The spool works again: clicks are written.", { directory, dropped: drops.clicks });
    this.#drops = undefined;
  }
}
