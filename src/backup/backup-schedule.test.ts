import { expect, test } from "bun:test";
import { hourMs, minuteMs } from "../base/time.ts";
import { nextBackupAt, stateAfter } from "./backup-schedule.ts";

const dayMs = 24 * hourMs;
const later = 100 * dayMs;
const failed = { kind: "failed", reason: "No space left on device." } as const;

test("the first backup is due at once, and the next one a period after the last success", () => {
  expect(nextBackupAt(null, dayMs, later)).toBe(0);
  expect(nextBackupAt(stateAfter(null, 1_000, { kind: "made" }), dayMs, later)).toBe(1_000 + dayMs);
});

test("failures are repeated with growing pauses, up to the period, and forgotten after a success", () => {
  let state = stateAfter(null, 0, { kind: "made" });
  const pauses = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    const at = nextBackupAt(state, dayMs, later);
    state = stateAfter(state, at, failed);
    pauses.push((nextBackupAt(state, dayMs, later) - at) / minuteMs);
  }

  expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  expect(state).toMatchObject({ succeededAt: 0, failures: 9, reason: failed.reason });
  expect(stateAfter(state, 5, { kind: "made" })).toEqual({ succeededAt: 5, attemptedAt: 5, failures: 0, reason: "" });
});

test("after the clock was ahead, the next backup is due at once, and repeated if it fails", () => {
  const ahead = stateAfter(null, later, { kind: "made" });

  expect(nextBackupAt(ahead, dayMs, later - 1)).toBe(0);
  expect(nextBackupAt(stateAfter(ahead, 1_000, failed), dayMs, later - 1)).toBe(1_000 + 15 * minuteMs);
});
