import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../tests/support/clicks.ts";
import { Problem } from "../base/problem.ts";
import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import { bucketStarts, bucketsMax, intervalMsFor, type RangeInput, resolveRange, sumIntoBuckets } from "./interval.ts";

const now = Date.parse("2026-11-20T09:30:15.250Z");
const earliest = Date.parse("2026-02-03T04:05:06.007Z");

/** TABLE of parameters and their periods: parameters, start, end, unit, number of buckets. */
const periods: [RangeInput, start: string, end: string, unit: string, buckets: number][] = [
  [{ interval: "24h" }, "2026-11-19T09:00", "2026-11-20T10:00", "hour", 25],
  [{ interval: "7d" }, "2026-11-13T00:00", "2026-11-21T00:00", "day", 8],
  [{ interval: "30d" }, "2026-10-21T00:00", "2026-11-21T00:00", "day", 31],
  [{ interval: "90d" }, "2026-08-22T00:00", "2026-11-21T00:00", "day", 91],
  [{ interval: "ytd" }, "2026-01-01T00:00", "2026-11-21T00:00", "month", 11],
  [{ interval: "1y" }, "2025-11-01T00:00", "2026-11-21T00:00", "month", 13],
  [{ interval: "mtd" }, "2026-11-01T00:00", "2026-11-21T00:00", "day", 20],
  [{ interval: "qtd" }, "2026-10-01T00:00", "2026-11-21T00:00", "day", 51],
  [{ interval: "today" }, "2026-11-20T00:00", "2026-11-20T10:00", "hour", 10],
  [{ interval: "yesterday" }, "2026-11-19T00:00", "2026-11-20T00:00", "hour", 24],
  [{ interval: "wtd" }, "2026-11-16T00:00", "2026-11-21T00:00", "day", 5],
  [{ interval: "last_week" }, "2026-11-09T00:00", "2026-11-16T00:00", "day", 7],
  [{ interval: "last_month" }, "2026-10-01T00:00", "2026-11-01T00:00", "day", 31],
  [{ interval: "last_quarter" }, "2026-07-01T00:00", "2026-10-01T00:00", "day", 92],
  [{ interval: "today", timezone: "America/New_York" }, "2026-11-20T05:00", "2026-11-20T10:00", "hour", 5],
  [{ interval: "yesterday", timezone: "Asia/Kathmandu" }, "2026-11-18T18:15", "2026-11-19T18:15", "hour", 24],
  [{ interval: "last_week", timezone: "Europe/Berlin" }, "2026-11-08T23:00", "2026-11-15T23:00", "day", 7],
  [{ interval: "last_month", timezone: "Europe/Berlin" }, "2026-09-30T22:00", "2026-10-31T23:00", "day", 31],
  [{ interval: "30d", unit: "week" }, "2026-10-21T00:00", "2026-11-21T00:00", "week", 5],
  [{ interval: "30d", unit: "hour" }, "2026-10-21T00:00", "2026-11-21T00:00", "hour", 31 * 24],
  [{ interval: "90d", unit: "month" }, "2026-08-22T00:00", "2026-11-21T00:00", "month", 4],
  [{ interval: "24h", unit: "month" }, "2026-11-19T09:00", "2026-11-20T10:00", "month", 1],
  [{ interval: "1y", unit: "day" }, "2025-11-01T00:00", "2026-11-21T00:00", "day", 385],
  [{ interval: "1y", timezone: "America/New_York" }, "2025-11-01T04:00", "2026-11-21T05:00", "month", 13],
  [{ interval: "mtd", timezone: "America/New_York" }, "2026-11-01T04:00", "2026-11-21T05:00", "day", 20],
  [{ interval: "qtd", timezone: "Europe/Berlin" }, "2026-09-30T22:00", "2026-11-20T23:00", "day", 51],
  [{ interval: "all" }, "2026-02-01T00:00", "2026-11-21T00:00", "month", 10],
  [{ interval: "24h", timezone: "Asia/Kathmandu" }, "2026-11-19T09:15", "2026-11-20T10:15", "hour", 25],
  [{ interval: "7d", timezone: "Asia/Kathmandu" }, "2026-11-12T18:15", "2026-11-20T18:15", "day", 8],
  [{ interval: "30d", timezone: "Europe/Berlin" }, "2026-10-20T22:00", "2026-11-20T23:00", "day", 31],
  [{ interval: "90d", timezone: "Africa/Cairo" }, "2026-08-21T21:00", "2026-11-20T22:00", "day", 91],
  [{ interval: "7d", timezone: "Pacific/Chatham" }, "2026-11-12T10:15", "2026-11-20T10:15", "day", 8],
  [{ interval: "ytd", timezone: "Pacific/Chatham" }, "2025-12-31T10:15", "2026-11-20T10:15", "month", 11],
  [{ interval: "all", start: "2026-11-18" }, "2026-11-18T00:00", "2026-11-21T00:00", "day", 3],
  [{ interval: "30d", start: "2026-11-19" }, "2026-11-19T00:00", "2026-11-20T10:00", "hour", 34],
  [{ interval: "30d", end: "2026-02-03" }, "2026-02-03T04:05:06.007", "2026-02-04T00:00", "hour", 20],
  [{ interval: "30d", start: "2026-11-01", end: "2026-11-01" }, "2026-11-01T00:00", "2026-11-02T00:00", "hour", 24],
  [{ interval: "30d", start: "2026-11-01", end: "2026-11-02" }, "2026-11-01T00:00", "2026-11-03T00:00", "hour", 48],
  [{ interval: "30d", start: "2026-11-01", end: "2026-11-03" }, "2026-11-01T00:00", "2026-11-04T00:00", "day", 3],
  [{ interval: "30d", start: "2026-11-03", end: "2026-11-01" }, "2026-11-01T00:00", "2026-11-04T00:00", "day", 3],
  [
    { interval: "30d", start: "2026-11-20T10:20Z", end: "2026-11-20T08:10Z" },
    "2026-11-20T08:10",
    "2026-11-20T10:20",
    "hour",
    3,
  ],
  [{ interval: "30d", start: "2026-01-01", end: "2026-06-29" }, "2026-01-01T00:00", "2026-06-30T00:00", "day", 180],
  [{ interval: "30d", start: "2026-01-01", end: "2026-06-30" }, "2026-01-01T00:00", "2026-07-01T00:00", "month", 6],
  [{ interval: "30d", start: "1970-01-01", end: "2099-12-31" }, "1970-01-01T00:00", "2100-01-01T00:00", "month", 1_560],
  [
    { interval: "30d", start: "2026-10-25", end: "2026-10-25", timezone: "Europe/Berlin" },
    "2026-10-24T22:00",
    "2026-10-25T23:00",
    "hour",
    25,
  ],
  [
    { interval: "30d", start: "2026-03-29", end: "2026-03-29", timezone: "Europe/Berlin" },
    "2026-03-28T23:00",
    "2026-03-29T22:00",
    "hour",
    23,
  ],
  [
    { interval: "30d", start: "2026-11-20T08:10", end: "2026-11-20T09:20:00", timezone: "Europe/Berlin" },
    "2026-11-20T07:10",
    "2026-11-20T08:20",
    "hour",
    2,
  ],
  [
    { interval: "30d", start: "2026-11-20T08:10:59.999Z", end: "2026-11-20T09:20:00.001Z" },
    "2026-11-20T08:10",
    "2026-11-20T09:21",
    "hour",
    2,
  ],
  [
    { interval: "30d", start: "2026-11-20T08:10:00+05:30", end: "2026-11-20 08:10 02:00" },
    "2026-11-20T02:40",
    "2026-11-20T06:10",
    "hour",
    5,
  ],
];

describe("resolveRange", () => {
  test.each(periods)("%j is from %s to %s, by %s, in %d buckets", (question, start, end, unit, buckets) => {
    const range = resolveRange(question, { now, earliest });

    expect({ from: range.from, to: range.to, unit: range.unit }).toEqual({
      from: Date.parse(`${start}Z`),
      to: Date.parse(`${end}Z`),
      unit: expect.stringMatching(unit),
    });
    expect(bucketStarts(range)).toHaveLength(buckets);
    expect([Date.parse(range.start), Date.parse(range.end)]).toEqual([range.from, range.to]);
  });

  test("an interval begins and ends at boundaries of its buckets, at any time", () => {
    const random = seededRandom(9);
    for (const timezone of ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe"]) {
      for (let round = 0; round < 100; round++) {
        const at = Date.UTC(2017, 0) + Math.floor(random() * 10 * 365 * dayMs);
        for (const [interval, buckets] of [
          ["24h", 25],
          ["7d", 8],
          ["30d", 31],
          ["90d", 91],
        ] as const) {
          const range = resolveRange({ interval, timezone }, { now: at, earliest });
          const starts = bucketStarts(range);
          const isHalfHourChange = timezone === "Australia/Lord_Howe" && interval === "24h";

          expect(starts[0]).toBe(range.from);
          expect(range.from <= at && at < range.to).toBe(true);
          if (!isHalfHourChange)
            expect({ at, timezone, interval, buckets: starts.length }).toEqual({ at, timezone, interval, buckets });
        }
      }
    }
  });

  test("all is by hour for a workspace created today, by day for one of this month", () => {
    expect(resolveRange({ interval: "all" }, { now, earliest: now - 2 * hourMs })).toMatchObject({
      start: "2026-11-20T07:00:00.000Z",
      unit: "hour",
    });
    expect(resolveRange({ interval: "all" }, { now, earliest: now - 9 * dayMs })).toMatchObject({
      start: "2026-11-11T00:00:00.000Z",
      unit: "day",
    });
  });

  test.each([
    ["start", "yesterday"],
    ["start", ""],
    ["start", "2026-02-30"],
    ["start", "2026-13-01"],
    ["start", "2026-11-20T24:00"],
    ["start", "2026-11-20T10:60"],
    ["start", "2026-11-20T10:00:60Z"],
    ["start", "2026-11-20T10:00Zulu"],
    ["start", "1969-12-31"],
    ["start", "1795132800000"],
    ["start", "0000-00-00"],
    ["end", "2100-01-01"],
    ["end", "+275760-09-13"],
    ["end", "2026-11-20T"],
  ])("%s=%s is malformed", (field, text) => {
    expect(refusal({ interval: "30d", [field]: text })).toMatch(new RegExp(`^${field}: must be a date`));
  });

  test.each([
    [{ start: "2026-11-20T10:00Z", end: "2026-11-20T10:00Z" }],
    [{ start: "2026-11-21" }],
    [{ end: "2026-02-02" }],
  ])("%j does not ascend", (borders) => {
    expect(refusal({ interval: "30d", ...borders })).toContain("must be before end");
  });

  test.each([
    ["Nowhere/Land", "timezone: must be an IANA time zone such as Europe/Berlin."],
    ["+02:00", "timezone: must be an IANA time zone such as Europe/Berlin."],
    ["", "timezone: must be an IANA time zone such as Europe/Berlin."],
    ["Europe/Berln", "timezone: must be an IANA time zone; the nearest is Europe/Berlin."],
  ])("the time zone %p is refused", (timezone, message) => {
    expect(refusal({ interval: "30d", timezone })).toBe(message);
  });

  test.each([
    ["2026-11-01T23:59Z", "2026-10-26T00:00Z"],
    ["2026-11-02T00:00Z", "2026-11-02T00:00Z"],
  ])("the week of %s begins on Monday, %s", (at, start) => {
    const range = resolveRange({ interval: "wtd" }, { now: Date.parse(at), earliest });

    expect(range.from).toBe(Date.parse(start));
  });

  test("days of 23 and 25 hours are whole", () => {
    const hours = (day: string) => {
      const at = Date.parse(`${day}T12:00Z`);
      return bucketStarts(resolveRange({ interval: "yesterday", timezone: "Europe/Berlin" }, { now: at, earliest }))
        .length;
    };

    expect([hours("2026-03-30"), hours("2026-10-26"), hours("2026-10-27")]).toEqual([23, 25, 24]);
  });

  test("a unit with too many buckets is refused", () => {
    expect(refusal({ interval: "90d", unit: "hour" })).toBe(
      "unit: must divide the period into at most 2000 buckets; choose a longer unit.",
    );
    expect(refusal({ interval: "30d", start: "2010-01-01", unit: "day" })).toMatch(/^unit: must divide/);
  });

  test("no possible period has more than bucketsMax buckets", () => {
    for (const timezone of ["UTC", "Pacific/Kiritimati", "Africa/Monrovia"]) {
      const range = resolveRange(
        { interval: "30d", start: "1970-01-01", end: "2099-12-31", timezone },
        { now, earliest },
      );

      expect(bucketStarts(range).length).toBeLessThanOrEqual(bucketsMax);
    }
  });
});

describe("sumIntoBuckets", () => {
  test("intervals are the longest that no boundary between buckets cuts", () => {
    const intervalMsOf = (question: RangeInput) =>
      intervalMsFor(bucketStarts(resolveRange(question, { now, earliest })));

    expect(intervalMsOf({ interval: "30d" })).toBe(dayMs);
    expect(intervalMsOf({ interval: "24h" })).toBe(hourMs);
    expect(intervalMsOf({ interval: "7d", timezone: "Europe/Berlin" })).toBe(hourMs);
    expect(intervalMsOf({ interval: "7d", timezone: "Asia/Kolkata" })).toBe(15 * minuteMs);
    expect(intervalMsOf({ interval: "24h", timezone: "Asia/Kathmandu" })).toBe(15 * minuteMs);
  });

  test("every bucket is present, and each interval belongs to the bucket that contains it", () => {
    const starts = [0, 2 * hourMs, 3 * hourMs];

    const buckets = sumIntoBuckets(
      [
        { value: 0, clicks: 1 },
        { value: 7, clicks: 2 },
        { value: 12, clicks: 4 },
        { value: 99, clicks: 8 },
      ],
      15 * minuteMs,
      starts,
    );

    expect(buckets).toEqual([
      { start: "1970-01-01T00:00:00.000Z", clicks: 3 },
      { start: "1970-01-01T02:00:00.000Z", clicks: 0 },
      { start: "1970-01-01T03:00:00.000Z", clicks: 12 },
    ]);
  });

  test("an interval that begins before the first bucket belongs to it", () => {
    expect(sumIntoBuckets([{ value: 0, clicks: 5 }], dayMs, [hourMs])).toEqual([
      { start: "1970-01-01T01:00:00.000Z", clicks: 5 },
    ]);
  });
});

function refusal(question: RangeInput): string {
  try {
    resolveRange(question, { now, earliest });
  } catch (error) {
    if (error instanceof Problem && error.code === "unprocessable_entity") return error.message;
    throw error;
  }
  return "nothing was refused";
}
