import { expect, test } from "bun:test";
import { openLog } from "../base/log.ts";
import { type PeriodicJob, startPeriodicJobs } from "./periodic-jobs.ts";

/** The log lines of a job that fails in its first runs, until it has succeeded twice. */
async function linesOf(failures: readonly Error[]): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const log = openLog("info", (line) => lines.push(line));
  const hasRecovered = Promise.withResolvers<void>();
  let runs = 0;
  const job: PeriodicJob = {
    name: "disk",
    everyMs: 1,
    async run() {
      const failure = failures[runs++];
      if (failure !== undefined) throw failure;
      if (runs === failures.length + 2) hasRecovered.resolve();
    },
  };
  const jobs = startPeriodicJobs({ log, now: Date.now }, [job]);
  await hasRecovered.promise;
  jobs.stop();
  return lines.map((line) => JSON.parse(line));
}

test("an outage that many runs of a job meet is logged when it begins and when it ends", async () => {
  const away = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });

  expect(await linesOf(Array(30).fill(away))).toEqual([
    expect.objectContaining({ level: "error", reason: away.message }),
    expect.objectContaining({ message: "The background work of a redirect worker succeeds again." }),
  ]);
});

test("another failure is logged with the name of its job and as no failure of the database", async () => {
  const [line, ...others] = await linesOf([new TypeError("x is not a function")]);

  expect(line).toMatchObject({
    message: "Background work of a redirect worker failed, and will be retried.",
    job: "disk",
    error: { message: "x is not a function" },
  });
  expect(others).toEqual([]);
});
