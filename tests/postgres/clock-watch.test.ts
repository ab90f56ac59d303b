/** A node compares its clock with that of PostgreSQL, which all nodes share. */
import { expect, test } from "bun:test";
import type { Log } from "../../src/base/log.ts";
import { hourMs } from "../../src/base/time.ts";
import { connect } from "../../src/database/database.ts";
import { ClockWatch } from "../../src/nodes/clock-watch.ts";
import { sharedPostgres } from "../support/postgres.ts";

test("a clock that is wrong is logged with its distance, and again when it is right", async () => {
  const postgres = await sharedPostgres();
  const { db, close } = connect({ kind: "postgres", url: await postgres.createDatabase() }, "full");
  const lines: unknown[] = [];
  const write = (message: string, fields?: object) => lines.push({ message, ...fields });
  const log: Log = { debug: write, info: write, warn: write, error: write };
  let ahead = 25 * hourMs;
  const watch = new ClockWatch({ db, log, now: () => Date.now() + ahead });

  const offsets = [await watch.check(), await watch.check()];
  ahead = -hourMs;
  offsets.push(await watch.check());
  ahead = 0;
  offsets.push(await watch.check());
  await close();
  await postgres.stop();

  expect(offsets.map((seconds) => (seconds / 60).toFixed(0).replace("-0", "0"))).toEqual(["1500", "1500", "-60", "0"]);
  const begins = "The clock of this machine disagrees with PostgreSQL's: clicks of all nodes may be removed too early.";
  expect(lines).toEqual([
    {
      message: begins,
      reason: expect.stringMatching(/^It is 90\d{3} seconds ahead\.$/),
      hint: "Set both clocks by NTP.",
    },
    { message: "The clock of this machine agrees with PostgreSQL's again." },
  ]);
});
