import { expect, test } from "bun:test";
import { changeOf } from "./change.ts";

test("a change is relative to the earlier number", () => {
  expect(changeOf(150, 100)).toEqual({ kind: "up", part: 0.5 });
  expect(changeOf(50, 100)).toEqual({ kind: "down", part: -0.5 });
  expect(changeOf(0, 100)).toEqual({ kind: "down", part: -1 });
});

test("a change too small to show is none", () => {
  expect(changeOf(10_004, 10_000)).toEqual({ kind: "same" });
  expect(changeOf(10_006, 10_000).kind).toBe("up");
});

test("a change from 0 has no percentage", () => {
  expect(changeOf(3, 0)).toEqual({ kind: "new" });
  expect(changeOf(0, 0)).toEqual({ kind: "same" });
});
