import { expect, test } from "bun:test";
import { openLog } from "./base/log.ts";
import { TaskOutages } from "./task-outages.ts";

test.each([
  "waypost: Authentication failed. ",
  "Database waypost does not exist. ",
  "waypost: Not enough privileges. To execute this query, it's necessary to have the grant SELECT ON waypost.clicks. ",
  "error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER",
  "ClickHouse has clicks of another Waypost than the one in PostgreSQL.",
  "This ClickHouse 25.8.1 is too old: Waypost needs 26.5 or later.",
])("a ClickHouse that refuses to be used is logged once with its reason and what to check, case %#", (message) => {
  const lines: string[] = [];
  const outages = new TaskOutages({ log: openLog("info", (line) => lines.push(line)), now: () => 0 });
  const error = new Error("The click store cannot answer.", { cause: new Error(message) });

  const recorded = [outages.recordFailure({ name: "one" }, error), outages.recordFailure({ name: "two" }, error)];
  for (const name of ["one", "two"]) outages.recordSuccess({ name });

  expect(recorded).toEqual([true, true]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      message: expect.stringContaining("The click store cannot be used"),
      reason: message.trim(),
      hint: expect.stringContaining("Check WAYPOST_CLICKS_URL"),
    },
    { message: expect.stringContaining("The click store works again") },
  ]);
});
