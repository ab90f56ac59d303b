import { FairQueue } from "../base/fair-queue.ts";
import { Problem } from "../base/problem.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Pipeline } from "./pipeline.ts";

/** TABLE of the bounds of queries. A page of the dashboard makes four queries at a time. */
const queryBounds = {
  /** A query that takes longer is long: its workspace leaves one of the two lanes to the others. */
  longMs: secondMs / 5,
  waitingMax: 1_000,
  waitingPerPartyMax: 100,
  waitMaxMs: minuteMs,
};

/** When a client should try again. */
const retryAfterSeconds = 5;

/** A pipeline with fair queries, and the number of those that wait. */
export type FairPipeline = Pipeline & { waiting(): number };

/**
 * Makes a pipeline fair between workspaces: each workspace runs one query at a time, in turn. Other calls are passed on
 * unchanged.
 * Queries throw "rate_limit_exceeded" when too many of the workspace wait, and "unavailable" when too many wait in
 * total.
 */
export function shareFairly(
  pipeline: Pipeline,
  onRefused: (reason: "workspace" | "all" | "late") => void,
): FairPipeline {
  const queue = new FairQueue<number>(queryBounds);

  async function inTurn<Result>(workspaceId: number, query: () => Promise<Result>): Promise<Result> {
    const served = await queue.run(workspaceId, query);
    switch (served.kind) {
      case "done":
        return served.value;
      case "partyFull": {
        onRefused("workspace");
        const message = `A workspace can have ${queryBounds.waitingPerPartyMax} analytics requests waiting; try again in a few seconds.`;
        throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
      }
      case "full":
      case "late": {
        onRefused(served.kind === "full" ? "all" : "late");
        const message = "Too many analytics requests are waiting; try again in a few seconds.";
        throw new Problem("unavailable", message, { retryAfterSeconds });
      }
    }
  }

  return {
    ...pipeline,
    query: (query) => inTurn(query.workspaceId, () => pipeline.query(query)),
    page: (page) => inTurn(page.workspaceId, () => pipeline.page(page)),
    firstClick: (query) => inTurn(query.workspaceId, () => pipeline.firstClick(query)),
    lastClicks: (query) => inTurn(query.workspaceId, () => pipeline.lastClicks(query)),
    waiting: () => queue.waiting,
  };
}
