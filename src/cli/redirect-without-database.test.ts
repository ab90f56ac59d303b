import { expect, test } from "bun:test";
import { openLog } from "../base/log.ts";
import { minuteMs } from "../base/time.ts";
import { readConfig } from "../config.ts";
import { explainFailure } from "./explain-failure.ts";
import { StartOutage } from "./redirect-without-database.ts";

const config = readConfig({ WAYPOST_DATABASE_URL: "postgres://waypost:secret@db.example.com:5433/links" });

function failure(message: string, code: string): unknown {
  return explainFailure(Object.assign(new Error(message), { code }), config);
}

test("a start that waits for PostgreSQL logs the address and the reason, another reason, and the end", () => {
  const lines: string[] = [];
  const clock = { now: 0 };
  const outage = new StartOutage({ log: openLog("info", (line) => lines.push(line)), now: () => clock.now });

  const isAway = outage.recordFailure(failure("connect ECONNREFUSED", "ECONNREFUSED"));
  outage.recordFailure(failure("connect ECONNREFUSED", "ECONNREFUSED"));
  clock.now += minuteMs;
  outage.recordFailure(failure("the database system is starting up", "57P03"));
  outage.recordSuccess();

  expect(isAway).toBe(true);
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
    "no PostgreSQL answers at db.example.com:5433 (ECONNREFUSED).",
    "no PostgreSQL answers at db.example.com:5433 (the database system is starting up).",
    undefined,
  ]);
  expect(lines.join()).not.toContain("secret");
});

test("a start that PostgreSQL refuses is no outage", () => {
  const lines: string[] = [];
  const outage = new StartOutage({ log: openLog("info", (line) => lines.push(line)), now: () => 0 });

  expect(outage.recordFailure(failure("password authentication failed", "28P01"))).toBe(false);
  expect(lines).toEqual([]);
});
