import { expect, test } from "bun:test";
import { diskFailureOf } from "./disk-failure.ts";
import { openLog } from "./log.ts";
import { Outage } from "./outage.ts";
import { hourMs, minuteMs } from "./time.ts";
import { unreachableServerOf } from "./unreachable-server.ts";

const full = { reason: "No space left on device", advice: "Make room." };
const readOnly = { reason: "Read-only file system", advice: "Mount it writable." };

function newOutage() {
  const lines: string[] = [];
  const clock = { now: 1_000_000 };
  const log = openLog("info", (line) => {
    const { message, reason, hint } = JSON.parse(line);
    lines.push([message, reason, hint].filter(Boolean).join(" | "));
  });
  return {
    outage: new Outage({ begins: "Broken.", ends: "Works again." }, { log, now: () => clock.now }),
    lines,
    clock,
  };
}

test("an outage is logged once with its reason and advice, then once an hour, and its end is logged once", () => {
  const { outage, lines, clock } = newOutage();

  for (let second = 0; second <= 4_000; second++) {
    outage.recordFailure("one", full);
    clock.now += 1_000;
  }
  outage.recordSuccess("one");
  outage.recordSuccess("one");

  const begin = "Broken. | No space left on device | Make room.";
  expect(lines).toEqual([begin, begin, "Works again."]);
  expect(clock.now).toBeGreaterThan(hourMs);
});

test("an outage that several parts report is logged once, and ends when all of them work", () => {
  const { outage, lines } = newOutage();

  outage.recordFailure("one", full);
  outage.recordFailure("two", full);
  outage.recordSuccess("one");
  expect(lines).toHaveLength(1);
  outage.recordSuccess("two");

  expect(lines).toEqual([expect.stringContaining("Broken."), "Works again."]);
});

test("outages that alternate with successes are logged once a minute, another reason at once", () => {
  const { outage, lines, clock } = newOutage();

  for (let round = 0; round < 59; round++) {
    outage.recordFailure("one", full);
    outage.recordSuccess("one");
    clock.now += 1_000;
  }
  expect(lines).toHaveLength(2);
  clock.now += minuteMs;
  outage.recordFailure("one", readOnly);

  expect(lines.at(-1)).toContain("Read-only file system");
});

test("an outage whose reasons alternate is logged once for each reason in an hour", () => {
  const { outage, lines, clock } = newOutage();

  for (let round = 0; round < 59; round++) {
    outage.recordFailure("one", round % 2 === 0 ? full : readOnly);
    clock.now += minuteMs;
  }

  expect(lines.map((line) => line.split(" | ")[1])).toEqual([full.reason, readOnly.reason]);
});

test("a success without an outage is not logged", () => {
  const { outage, lines } = newOutage();

  outage.recordSuccess("one");

  expect(lines).toEqual([]);
});

test.each([
  [new Error("ENOSPC: no space left on device, write"), "No space left on device"],
  [Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_SHMSIZE" }), "No space left on device"],
  [new Error("x.lock cannot be locked: database or disk is full"), "No space left on device"],
  [new Error("The store is away.", { cause: new Error('IO Error: "a": Permission denied') }), "Permission denied"],
  [new Error("EROFS: read-only file system, open"), "Read-only file system"],
  [new TypeError("x is not a function"), undefined],
  ["ENOSPC", undefined],
])("recognizes disk failures, case %#", (error, reason) => {
  expect(diskFailureOf(error)?.reason).toBe(reason);
});

test.each([
  [Object.assign(new Error("connect failed"), { code: "ECONNREFUSED" }), "connect failed"],
  [
    new Error("The store is away.", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8123") }),
    "connect ECONNREFUSED 127.0.0.1:8123",
  ],
  [
    Object.assign(new Error("the database system is starting up"), { code: "57P03" }),
    "the database system is starting up",
  ],
  [Object.assign(new Error("query_wait_timeout"), { code: "08P01" }), "query_wait_timeout"],
  [Object.assign(new Error("unsupported startup parameter: statement_timeout"), { code: "08P01" }), undefined],
  // From a thread, which keeps the message only.
  [new Error("the database system is shutting down"), "the database system is shutting down"],
  [new Error("Timeout error."), "Timeout error."],
  [new Error("A link is refused: connect ECONNREFUSED"), undefined],
  ["ECONNREFUSED", undefined],
])("recognizes unreachable servers, case %#", (error, reason) => {
  expect(unreachableServerOf(error)?.reason).toBe(reason);
});

test("failures that the operator can fix are logged without a stack, all other errors with one", () => {
  const lines: string[] = [];
  const log = openLog("info", (line) => lines.push(line));

  log.error("One", { error: new Error("away", { cause: new Error("ENOSPC: no space left on device") }) });
  log.error("Two", { error: new Error("a fault of ours") });
  log.error("Three", { error: new Error("away", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8123") }) });

  expect(lines.map((line) => line.includes('"stack"'))).toEqual([false, true, false]);
  expect(lines[0]).toContain("ENOSPC");
});
