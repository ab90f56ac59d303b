import { expect, test } from "bun:test";
import { expiresAtOf } from "./key-expiry.ts";

const now = Date.parse("2026-11-20T12:00:00Z");

test("a key expires never, after a number of days, or at the end of a day", () => {
  expect(expiresAtOf({ kind: "never" }, now)).toBeNull();
  expect(expiresAtOf({ kind: "days", days: 30 }, now)).toBe("2026-12-20T12:00:00.000Z");
  expect(expiresAtOf({ kind: "day", day: "2026-12-24" }, now)).toBe(new Date("2026-12-24T23:59:59").toISOString());
});

test("without a chosen day, the expiry is undefined", () => {
  expect(expiresAtOf({ kind: "day", day: "" }, now)).toBeUndefined();
});
