import { expect, test } from "bun:test";
import { localTime } from "./local-time.ts";

test("the local time is that of the time zone", () => {
  const time = Date.parse("2026-11-20T23:30:00Z");

  expect(localTime(time, "UTC")).toBe("2026-11-20T23:30");
  expect(localTime(time, "Europe/Berlin")).toBe("2026-11-21T00:30");
  expect(localTime(time, "Asia/Kolkata")).toBe("2026-11-21T05:00");
});

test("the browser's time zone is the default", () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

  expect(localTime("2026-11-20T23:30:00Z")).toBe(localTime(Date.parse("2026-11-20T23:30:00Z"), timeZone));
});
