import { diskFailureOf } from "./base/disk-failure.ts";
import type { Log } from "./base/log.ts";
import { Outage } from "./base/outage.ts";
import { refusingClickHouseOf } from "./base/refusing-click-house.ts";
import { unreachableServerOf } from "./base/unreachable-server.ts";

/** TABLE of what background tasks need, with the log lines at the beginning and the end of an outage. */
const messages = {
  store: {
    begins: "The click store cannot be used: links redirect, and clicks wait in the spool as long as it has space.",
    ends: "The click store works again and stores the waiting clicks.",
  },
  database: {
    begins:
      "The database cannot be written: links redirect, changes fail, and clicks wait to be counted on their links.",
    ends: "The database works again.",
  },
  lookupFile: {
    begins: "The lookup file of the redirects cannot be written: redirects look links up in the database.",
    ends: "The lookup file of the redirects can be written again.",
  },
  server: {
    begins:
      "A server that Waypost needs does not answer: links redirect, and clicks wait in the spool as long as it has space.",
    ends: "The servers that Waypost needs answer again.",
  },
} as const;

/** What a task writes to the disk. */
export type WrittenResource = Exclude<keyof typeof messages, "server">;

type Task = { name: string; needs?: WrittenResource };

/**
 * Logs the outages that make background tasks fail: full or broken disks, servers that do not answer, and a ClickHouse that
 * refuses to be used. An outage is
 * logged when it begins, once an hour, and when it ends, however many tasks fail.
 */
export class TaskOutages {
  readonly #outages: Record<keyof typeof messages, Outage>;

  constructor(deps: { log: Log; now: () => number }) {
    this.#outages = {
      store: new Outage(messages.store, deps),
      database: new Outage(messages.database, deps),
      lookupFile: new Outage(messages.lookupFile, deps),
      server: new Outage(messages.server, deps),
    };
  }

  /** Records that a task failed. Returns false when the error reports no outage; the caller logs it. */
  recordFailure({ name, needs = "database" }: Task, error: unknown): boolean {
    const diskFailure = diskFailureOf(error);
    const refusal = diskFailure === undefined ? refusingClickHouseOf(error) : undefined;
    const cause = diskFailure ?? refusal ?? unreachableServerOf(error);
    if (cause === undefined) return false;
    const resource = refusal === undefined ? "server" : "store";
    this.#outages[diskFailure === undefined ? resource : needs].recordFailure(name, cause);
    return true;
  }

  /** Records that a task succeeded. */
  recordSuccess({ name, needs = "database" }: Task): void {
    this.#outages[needs].recordSuccess(name);
    this.#outages.server.recordSuccess(name);
    this.#outages.store.recordSuccess(name);
  }
}
