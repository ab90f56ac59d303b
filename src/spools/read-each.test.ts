import { expect, test } from "bun:test";
import { spoolFolder } from "../../tests/support/spools.ts";
import { openLog } from "../base/log.ts";
import { ReadWriteLock } from "../base/read-write-lock.ts";
import { LossRecord } from "../clicks/lost-clicks.ts";
import { readConfig } from "../config.ts";
import { openMetrics } from "../metrics.ts";
import { drain } from "./read-each.ts";

test("a drain whose time ends during a step fails, so that the stop logs that clicks stay in the spool", async () => {
  const { directory, remove } = spoolFolder();
  const outOfTime = new AbortController();
  const ingested = { from: 0, cursor: 10, stored: 10, workspaceIds: [], missedBytes: 0, unknownClicks: 0 };
  const read = {
    ...{ directory, cursors: { store: 0, counters: 0 }, truncate: async () => {} },
    extent: () => ({ id: "spool", end: 20, bytes: 20 }),
  };
  const deps = {
    pipeline: {
      async ingest() {
        outOfTime.abort(new Error("The time is up."));
        return { ...ingested, damages: [], waitedMs: 0 };
      },
    },
    counters: { count: async () => 20 },
    ...{ config: readConfig({}), readersLock: new ReadWriteLock(), log: openLog("error"), now: () => 0 },
    metrics: openMetrics({ own: unread, workers: async () => [], store: async () => undefined }),
    ...{ losses: new LossRecord(directory), liveEvents: { storeAdvanced() {} }, purges: { current: [] } },
    ...{ storeLosses: { beforeStoring: async () => {}, reportOlder: async () => {} }, spools: { all: () => [read] } },
  };

  const drained = drain(deps, outOfTime.signal);

  await expect(drained).rejects.toThrow("The time is up.");
  expect(read.cursors).toEqual({ store: 10, counters: 0 });
  remove();
});

function unread(): never {
  throw new Error("This test reads no metrics.");
}
