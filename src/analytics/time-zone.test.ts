import { describe, expect, test } from "bun:test";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import { dayMs, hourMs, isoTime, minuteMs } from "../base/time.ts";
import {
  type BucketUnit,
  bucketUnits,
  findTimeZone,
  firstInstant,
  nearestTimeZone,
  nextStart,
  offsetsBetween,
  startOf,
  type TimeZone,
} from "./time-zone.ts";

/** TABLE of days with a special start or length: zone, an instant of the day, its start, the next start, the reason. */
const days = [
  ["UTC", "2026-11-20T23:59:59.999Z", "2026-11-20T00:00Z", "2026-11-21T00:00Z", "plain"],
  ["Europe/Berlin", "2026-03-29T12:00Z", "2026-03-28T23:00Z", "2026-03-29T22:00Z", "23 hours"],
  ["Europe/Berlin", "2026-10-25T12:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z", "25 hours"],
  ["Europe/Berlin", "2026-10-24T22:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z", "its own start"],
  ["America/Sao_Paulo", "2018-11-04T12:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z", "no midnight: it begins at 1"],
  [
    "America/Sao_Paulo",
    "2019-02-16T12:00Z",
    "2019-02-16T02:00Z",
    "2019-02-17T03:00Z",
    "set back at midnight: 25 hours",
  ],
  ["America/Sao_Paulo", "2026-11-20T12:00Z", "2026-11-20T03:00Z", "2026-11-21T03:00Z", "no summer time any more"],
  ["Africa/Cairo", "2026-04-24T12:00Z", "2026-04-23T22:00Z", "2026-04-24T21:00Z", "no midnight"],
  ["Africa/Cairo", "2026-10-29T12:00Z", "2026-10-28T21:00Z", "2026-10-29T22:00Z", "set back at midnight"],
  ["America/Havana", "2026-11-01T12:00Z", "2026-11-01T04:00Z", "2026-11-02T05:00Z", "midnight comes twice"],
  ["Asia/Kathmandu", "2026-11-20T18:14Z", "2026-11-19T18:15Z", "2026-11-20T18:15Z", "5:45 ahead"],
  ["Pacific/Chatham", "2026-04-04T09:00Z", "2026-04-03T10:15Z", "2026-04-04T10:15Z", "13:45 ahead"],
  ["Pacific/Chatham", "2026-04-05T00:00Z", "2026-04-04T10:15Z", "2026-04-05T11:15Z", "25 hours"],
  ["Pacific/Apia", "2011-12-29T20:00Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z", "before a day left out"],
  ["Pacific/Apia", "2011-12-30T20:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z", "after a day left out"],
  ["Australia/Lord_Howe", "2026-04-05T03:00Z", "2026-04-04T13:00Z", "2026-04-05T13:30Z", "24 hours and a half"],
  ["Pacific/Kiritimati", "2026-11-20T09:59Z", "2026-11-19T10:00Z", "2026-11-20T10:00Z", "14 ahead"],
  ["Etc/GMT+12", "2026-11-20T12:00Z", "2026-11-20T12:00Z", "2026-11-21T12:00Z", "12 behind"],
] as const;

/** TABLE of hours in the same form. */
const hours = [
  ["Asia/Kathmandu", "2026-11-20T10:20Z", "2026-11-20T10:15Z", "2026-11-20T11:15Z", "begins at a quarter"],
  ["Europe/Berlin", "2026-10-25T00:30Z", "2026-10-25T00:00Z", "2026-10-25T01:00Z", "the first of two at 2"],
  ["Europe/Berlin", "2026-10-25T01:30Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z", "the second of them"],
  [
    "Australia/Lord_Howe",
    "2026-04-04T14:40Z",
    "2026-04-04T14:00Z",
    "2026-04-04T15:00Z",
    "cut by a change of half an hour",
  ],
  [
    "Australia/Lord_Howe",
    "2026-04-04T15:10Z",
    "2026-04-04T15:00Z",
    "2026-04-04T15:30Z",
    "half an hour that comes again",
  ],
  ["Australia/Lord_Howe", "2026-10-03T15:40Z", "2026-10-03T15:30Z", "2026-10-03T16:00Z", "half an hour left out"],
] as const;

describe("startOf and nextStart", () => {
  test.each(days)("%s at %s: the day from %s to %s (%s)", (name, instant, start, next) => {
    expect(borders("day", name, instant)).toEqual([isoTime(Date.parse(start)), isoTime(Date.parse(next))]);
  });

  test.each(hours)("%s at %s: the hour from %s to %s (%s)", (name, instant, start, next) => {
    expect(borders("hour", name, instant)).toEqual([isoTime(Date.parse(start)), isoTime(Date.parse(next))]);
  });

  test("a week begins at the first midnight of its Monday, also across clock changes and years", () => {
    expect(borders("week", "Europe/Berlin", "2026-10-25T22:30Z")).toEqual([
      "2026-10-18T22:00:00.000Z",
      "2026-10-25T23:00:00.000Z",
    ]);
    expect(borders("week", "UTC", "2027-01-01T00:00Z")).toEqual([
      "2026-12-28T00:00:00.000Z",
      "2027-01-04T00:00:00.000Z",
    ]);
    expect(borders("week", "UTC", "1970-01-01T00:00Z")).toEqual([
      "1969-12-29T00:00:00.000Z",
      "1970-01-05T00:00:00.000Z",
    ]);
  });

  test("a month begins at the first midnight of its first date, also across clock changes and years", () => {
    expect(borders("month", "Europe/Berlin", "2026-10-31T23:30Z")).toEqual([
      "2026-10-31T23:00:00.000Z",
      "2026-11-30T23:00:00.000Z",
    ]);
    expect(borders("month", "Europe/Berlin", "2026-10-31T22:30Z")).toEqual([
      "2026-09-30T22:00:00.000Z",
      "2026-10-31T23:00:00.000Z",
    ]);
    expect(borders("month", "America/New_York", "2027-01-01T04:59Z")).toEqual([
      "2026-12-01T05:00:00.000Z",
      "2027-01-01T05:00:00.000Z",
    ]);
  });

  // The simple method: go back by 15 minutes while the clock shows the same date.
  test("a day begins with its date, in every zone", () => {
    const random = seededRandom(3);
    const offenders = Intl.supportedValuesOf("timeZone").flatMap((name) => {
      const shown = new Intl.DateTimeFormat("en-CA", { timeZone: name, dateStyle: "short" });
      return Array.from({ length: 5 }, () => {
        const instant = Date.UTC(2012, 0) + Math.floor(random() * 25 * 365 * 96) * 15 * minuteMs;
        let expected = instant;
        while (shown.format(expected - 15 * minuteMs) === shown.format(instant)) expected -= 15 * minuteMs;
        const found = startOf("day", instant, zoneOf(name));
        return found === expected
          ? []
          : [`${name} at ${isoTime(instant)}: ${isoTime(found)}, not ${isoTime(expected)}`];
      }).flat();
    });

    expect(offenders).toEqual([]);
  });

  test("buckets have no gap and no overlap, in every unit and zone", () => {
    const random = seededRandom(4);
    for (const name of [...new Set([...days, ...hours].map(([zone]) => zone))]) {
      const zone = zoneOf(name);
      for (let round = 0; round < 200; round++) {
        const unit = pick(random, bucketUnits);
        const instant = Date.UTC(2018, 0) + Math.floor(random() * 10 * 365 * dayMs);
        const start = startOf(unit, instant, zone);
        const next = nextStart(unit, start, zone);

        expect({ name, unit, instant, isIn: start <= instant && instant < next }).toEqual({
          name,
          unit,
          instant,
          isIn: true,
        });
        expect([startOf(unit, start, zone), startOf(unit, next - 1, zone), startOf(unit, next, zone)]).toEqual([
          start,
          start,
          next,
        ]);
      }
    }
  });
});

describe("offsetsBetween", () => {
  const from = Date.UTC(1999, 0);
  const to = Date.UTC(2027, 0);

  test("has each change of the clock at its instant", () => {
    const offsets = offsetsBetween({ from: Date.UTC(2026, 0), to }, zoneOf("Australia/Lord_Howe"));

    expect(offsets.map(({ from: at, offsetMs }) => [isoTime(at), offsetMs / hourMs])).toEqual([
      ["2026-01-01T00:00:00.000Z", 11],
      ["2026-04-04T15:00:00.000Z", 10.5],
      ["2026-10-03T15:30:00.000Z", 11],
    ]);
    expect(offsetsBetween({ from, to }, zoneOf("UTC"))).toEqual([{ from, offsetMs: 0 }]);
    expect(offsetsBetween({ from, to: from }, zoneOf("Asia/Kolkata"))).toEqual([{ from, offsetMs: 5.5 * hourMs }]);
  });

  test("has the offset of any day, also where the clock changes twice within weeks", () => {
    for (const name of ["America/Recife", "America/Argentina/Tucuman", "Africa/Cairo", "Africa/Casablanca"]) {
      const zone = zoneOf(name);
      const offsets = offsetsBetween({ from, to }, zone);

      for (let at = from; at < to; at += dayMs) {
        const found = offsets.findLast((offset) => offset.from <= at)?.offsetMs;
        if (found !== zone.offsetAt(at)) throw new Error(`${name} at ${isoTime(at)}: ${found}`);
      }
    }
  });
});

describe("findTimeZone", () => {
  test.each(["", "Nowhere/Land", "+02:00", "-05:31", "constructor", "\u0000", "x".repeat(100_000)])(
    "%p is not the name of a zone",
    (name) => {
      expect(findTimeZone(name)).toBeUndefined();
    },
  );

  test("the transitions of a zone are read once, for its name in any case", () => {
    expect(zoneOf("pacific/CHATHAM").transitions).toBe(zoneOf("Pacific/Chatham").transitions);
    expect(zoneOf("Pacific/Chatham")).toBe(zoneOf("Pacific/Chatham"));
  });

  test("names are read in any case", () => {
    const time = Date.UTC(2026, 6, 1);

    expect(zoneOf("europe/BERLIN").offsetAt(time)).toBe(2 * hourMs);
  });
});

test.each([
  ["Europe/Berlni", "Europe/Berlin"],
  ["america/new york", "America/New_York"],
  ["Nowhere/Land", undefined],
])("the zone nearest to %s is %p", (name, nearest) => {
  expect(nearestTimeZone(name)).toBe(nearest);
});

// The table and the clock come from different parts of the runtime.
test("the table of every zone agrees with its clock, from 1970 to 2099", () => {
  const random = seededRandom(5);
  const offenders = Intl.supportedValuesOf("timeZone").flatMap((name) => {
    const formatter = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
    const zone = zoneOf(name);
    const near = zone.transitions.flatMap(({ from }) => [from - 1_000, from]);
    const any = Array.from({ length: 20 }, () => Math.floor(random() * Date.UTC(2100, 0)));
    return [...near.filter((instant) => instant >= 0 && random() < 0.2), ...any].flatMap((instant) => {
      const shown = shownOffset(formatter.format(instant));
      return shown === zone.offsetAt(instant) ? [] : [`${name} at ${isoTime(instant)}: ${zone.offsetAt(instant)}`];
    });
  });

  expect(offenders).toEqual([]);
});

test("a wall time in a gap is the first instant after it, and a repeated one is the first of the two", () => {
  const zone = zoneOf("Europe/Berlin");

  expect(isoTime(firstInstant(Date.UTC(2026, 2, 29, 2, 30), zone))).toBe("2026-03-29T01:00:00.000Z");
  expect(isoTime(firstInstant(Date.UTC(2026, 9, 25, 2, 30), zone))).toBe("2026-10-25T00:30:00.000Z");
});

/** The milliseconds of "1/1/1970, GMT-00:44:30". */
function shownOffset(text: string): number {
  const [, sign, hours, minutes, seconds] = /GMT(?:([-+])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? [];
  const size = Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * minuteMs + Number(seconds ?? 0) * 1_000;
  return sign === "-" ? -size : size;
}

function zoneOf(name: string): TimeZone {
  const zone = findTimeZone(name);
  if (zone === undefined) throw new Error(`There is no zone ${name}.`);
  return zone;
}

function borders(unit: BucketUnit, name: string, instant: string): string[] {
  const zone = zoneOf(name);
  const start = startOf(unit, Date.parse(instant), zone);
  return [isoTime(start), isoTime(nextStart(unit, start, zone))];
}
