import { expect, test } from "bun:test";
import { findTimeZone } from "../analytics/time-zone.ts";
import { dayMs, hourMs, isoTime } from "../base/time.ts";
import { notificationKinds } from "../database/notification-tables.ts";
import { localDay, nextDue, reportPeriod, waitMaxMs } from "./schedule.ts";

function zoneOf(name: string) {
  const zone = findTimeZone(name);
  if (zone === undefined) throw new Error(`${name} is unknown.`);
  return zone;
}
const at = (text: string) => Date.parse(text);

test.each([
  // A Friday; Berlin is one hour ahead.
  ["weeklyReport", "2026-11-20T09:30:00Z", "Europe/Berlin", "2026-11-23T07:00:00.000Z"],
  ["weeklyReport", "2026-11-23T06:59:59Z", "Europe/Berlin", "2026-11-23T07:00:00.000Z"],
  ["weeklyReport", "2026-11-23T07:00:00Z", "Europe/Berlin", "2026-11-30T07:00:00.000Z"],
  // In New York it is still Sunday.
  ["weeklyReport", "2026-11-23T02:00:00Z", "America/New_York", "2026-11-23T13:00:00.000Z"],
  ["monthlyReport", "2026-11-20T09:30:00Z", "UTC", "2026-12-01T08:00:00.000Z"],
  ["monthlyReport", "2026-12-31T09:00:00Z", "UTC", "2027-01-01T08:00:00.000Z"],
  // The clock is set forward on 29 March.
  ["drop", "2026-03-28T08:00:00Z", "Europe/Berlin", "2026-03-29T06:00:00.000Z"],
  ["spike", "2026-11-20T09:30:00Z", "UTC", "2026-11-20T10:30:00.000Z"],
  ["failingDomain", "2026-11-20T09:30:00Z", "UTC", "2026-11-20T09:45:00.000Z"],
] as const)("%s at %s in %s is due next at %s", (kind, now, zone, due) => {
  expect(isoTime(nextDue(kind, at(now), zoneOf(zone)))).toBe(due);
});

test.each([...notificationKinds])("the next %s is never further away than waitMaxMs, in any hour of a year", (kind) => {
  const start = at("2026-01-01T00:00:00Z");
  let longestMs = 0;

  // Clocks change in March and October in Berlin; Kiritimati and Pago Pago are furthest from UTC.
  for (const zone of ["Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago"].map(zoneOf)) {
    for (let now = start; now < start + 366 * dayMs; now += hourMs) {
      longestMs = Math.max(longestMs, nextDue(kind, now, zone) - now);
    }
  }

  expect(longestMs).toBeLessThan(waitMaxMs[kind]);
});

test("a weekly report covers the last complete week, from Monday to Sunday, also when it is late", () => {
  for (const now of ["2026-11-23T07:00:00Z", "2026-11-29T22:59:00Z"]) {
    const { day, from, to, previousFrom } = reportPeriod("weeklyReport", at(now), zoneOf("Europe/Berlin"));

    expect([day, ...[from, to, previousFrom].map(isoTime)]).toEqual([
      "2026-11-16",
      ...["2026-11-15T23:00:00.000Z", "2026-11-22T23:00:00.000Z", "2026-11-08T23:00:00.000Z"],
    ]);
  }
});

test("a monthly report covers the last calendar month and is compared with the month before", () => {
  const { day, from, to, previousFrom } = reportPeriod("monthlyReport", at("2027-01-01T08:00:00Z"), zoneOf("UTC"));

  expect([day, ...[from, to, previousFrom].map(isoTime)]).toEqual([
    "2026-12-01",
    ...["2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
  ]);
});

test("a local day is the date on the recipient's clock", () => {
  expect(localDay(at("2026-11-20T23:30:00Z"), zoneOf("Europe/Berlin"))).toBe("2026-11-21");
  expect(localDay(at("2026-11-20T23:30:00Z"), zoneOf("Europe/Berlin"), -1)).toBe("2026-11-20");
});
