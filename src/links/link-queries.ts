import { FairQueue } from "../base/fair-queue.ts";
import { Problem } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import type { Database, Db } from "../database/database.ts";

/** TABLE of the bounds of queries. A page of the dashboard makes three at a time. */
const queryBounds = {
  /** A query that takes longer is long: its workspace leaves one of the two lanes to the others. */
  longMs: secondMs / 10,
  waitingMax: 1_000,
  waitingPerPartyMax: 100,
  /** No longer than the timeout of the reading thread. */
  waitMaxMs: 30 * secondMs,
};

/** When a client should try again. */
const retryAfterSeconds = 5;

/**
 * Lists, searches and counts of links, and other reads that may be large, take turns by workspace. On SQLite, two threads
 * answer them: counting the links of a large workspace takes hundreds of milliseconds, and forty such calls would delay
 * every other list. Workspaces with slow queries use the second thread, because a list makes several queries and would
 * wait for a count each time.
 */
export class LinkQueries {
  readonly #queue = new FairQueue<number>(queryBounds);
  readonly #databases: Pick<Database, "reads" | "slowReads">;

  constructor(databases: Pick<Database, "reads" | "slowReads">) {
    this.#databases = databases;
  }

  /**
   * Runs the query, on the given connection, when it is the workspace's turn. Throws "rate_limit_exceeded" when too many
   * of the workspace wait, and "unavailable" when too many wait in all, or when the query has waited too long.
   */
  async run<Result>(workspaceId: number, query: (db: Db) => Promise<Result>): Promise<Result> {
    const { reads, slowReads } = this.#databases;
    const served = await this.#queue.run(workspaceId, (lane) => query(lane === "short" ? reads : slowReads));
    switch (served.kind) {
      case "done":
        return served.value;
      case "partyFull": {
        const message = `A workspace can have ${queryBounds.waitingPerPartyMax} lists and counts of links waiting; try again in a few seconds.`;
        throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
      }
      case "full":
      case "late": {
        const message = "Too many lists and counts of links are waiting; try again in a few seconds.";
        throw new Problem("unavailable", message, { retryAfterSeconds });
      }
    }
  }
}
