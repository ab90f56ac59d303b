import { describe, expect, test } from "bun:test";
import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import { type CheckedState, checkPauseMaxMs, nextCheckAt } from "./check-schedule.ts";

const now = Date.UTC(2026, 10, 20);

const after = (state: Partial<CheckedState>, random = 0.5) =>
  nextCheckAt({ status: "verified", unansweredChecks: 0, updatedAt: now, ...state }, { now, random }) - now;

describe("the state and the time since the last change decide when a domain is checked next", () => {
  const cases: [Partial<CheckedState>, number][] = [
    [{ status: "verified" }, 6 * hourMs],
    [{ status: "failing" }, 30 * minuteMs],
    [{ status: "pending" }, 5 * minuteMs],
    [{ status: "pending", updatedAt: now - hourMs }, hourMs],
    [{ status: "pending", updatedAt: now - 14 * dayMs }, dayMs],
  ];
  test.each(cases)("%j: %d ms", (state, expected) => {
    expect(after(state)).toBe(expected);
  });
});

describe("checks without an answer back off up to the interval of the state", () => {
  const cases: [Partial<CheckedState>, number][] = [
    [{ unansweredChecks: 1 }, 5 * minuteMs],
    [{ unansweredChecks: 2 }, 10 * minuteMs],
    [{ unansweredChecks: 7 }, 320 * minuteMs],
    [{ unansweredChecks: 8 }, 6 * hourMs],
    [{ unansweredChecks: 10_000 }, 6 * hourMs],
    [{ status: "failing", unansweredChecks: 9 }, 30 * minuteMs],
    [{ status: "pending", updatedAt: now - 30 * dayMs, unansweredChecks: 10_000 }, dayMs],
  ];
  test.each(cases)("%j: %d ms", (state, expected) => {
    expect(after(state)).toBe(expected);
  });
});

test("jitter spreads regular checks by a tenth, and those after an outage by a half", () => {
  const regular = [0, 0.999_999_999].map((random) => after({}, random));
  expect(regular).toEqual([324 * minuteMs, 396 * minuteMs]);
  const backOff = [0, 0.999_999_999].map((random) => after({ unansweredChecks: 1 }, random));
  expect(backOff).toEqual([2.5 * minuteMs, 7.5 * minuteMs]);
});

test("no pause is longer than checkPauseMaxMs, so a stored check is not due at once", () => {
  const states = (["verified", "failing", "pending"] as const).flatMap((status) =>
    [0, 1, 100].map((unansweredChecks) => ({ status, unansweredChecks, updatedAt: now - 30 * dayMs })),
  );

  const pauses = states.map((state) => after(state, 0.999_999_999));

  expect(Math.max(...pauses)).toBeLessThanOrEqual(checkPauseMaxMs);
});

test("ten thousand verified domains need fewer than one check a second", () => {
  expect(10_000 / (after({}) / 1_000)).toBeLessThan(1);
});
