import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../tests/support/clicks.ts";
import { Problem } from "../base/problem.ts";
import { dayMs } from "../base/time.ts";
import { type ComparisonInput, comparedPeriod, previousPeriod } from "./compared-period.ts";
import { bucketStarts, type RangeInput, resolveRange } from "./interval.ts";

const now = Date.parse("2026-11-20T09:30:15.250Z");
const earliest = Date.parse("2026-02-03T04:05:06.007Z");

/** TABLE of parameters and previous periods: parameters, start, end, start of the second bucket, number of buckets. */
const previous: [RangeInput, start: string, end: string, second: string, buckets: number][] = [
  [{ interval: "24h" }, "2026-11-18T08:00", "2026-11-19T08:30:15.250", "2026-11-18T09:00", 25],
  [{ interval: "7d" }, "2026-11-05T00:00", "2026-11-12T09:30:15.250", "2026-11-06T00:00", 8],
  [
    { interval: "7d", timezone: "Asia/Kathmandu" },
    "2026-11-04T18:15",
    "2026-11-12T09:30:15.250",
    "2026-11-05T18:15",
    8,
  ],
  [
    { interval: "30d", timezone: "Europe/Berlin" },
    "2026-09-19T22:00",
    "2026-10-20T08:30:15.250",
    "2026-09-20T22:00",
    31,
  ],
  [{ interval: "90d" }, "2026-05-23T00:00", "2026-08-21T09:30:15.250", "2026-05-24T00:00", 91],
  [{ interval: "1y" }, "2024-10-01T00:00", "2025-10-20T09:30:15.250", "2024-11-01T00:00", 13],
  [{ interval: "today" }, "2026-11-19T00:00", "2026-11-19T09:30:15.250", "2026-11-19T01:00", 10],
  [{ interval: "yesterday" }, "2026-11-18T00:00", "2026-11-19T00:00", "2026-11-18T01:00", 24],
  [{ interval: "wtd" }, "2026-11-09T00:00", "2026-11-13T09:30:15.250", "2026-11-10T00:00", 5],
  [{ interval: "last_week" }, "2026-11-02T00:00", "2026-11-09T00:00", "2026-11-03T00:00", 7],
  [{ interval: "last_month" }, "2026-09-01T00:00", "2026-10-01T00:00", "2026-09-02T00:00", 30],
  [{ interval: "last_quarter" }, "2026-04-01T00:00", "2026-07-01T00:00", "2026-04-02T00:00", 91],
  [{ interval: "mtd" }, "2026-10-01T00:00", "2026-10-20T09:30:15.250", "2026-10-02T00:00", 20],
  [{ interval: "qtd" }, "2026-07-01T00:00", "2026-08-20T09:30:15.250", "2026-07-02T00:00", 51],
  [{ interval: "ytd" }, "2025-01-01T00:00", "2025-11-20T09:30:15.250", "2025-02-01T00:00", 11],
  [
    { interval: "30d", start: "2026-11-01", end: "2026-11-03" },
    "2026-10-29T00:00",
    "2026-11-01T00:00",
    "2026-10-30T00:00",
    3,
  ],
  [
    { interval: "30d", start: "2026-10-26", end: "2026-10-28", timezone: "Europe/Berlin" },
    "2026-10-22T22:00",
    "2026-10-25T23:00",
    "2026-10-23T22:00",
    3,
  ],
  [
    { interval: "30d", start: "2026-01-01", end: "2026-08-31" },
    "2025-05-01T00:00",
    "2026-01-01T00:00",
    "2025-06-01T00:00",
    8,
  ],
  [
    { interval: "30d", start: "2026-11-19T06:10Z", end: "2026-11-19T08:20Z" },
    "2026-11-19T04:00",
    "2026-11-19T06:10",
    "2026-11-19T04:50",
    3,
  ],
  // Custom periods in progress: the first begins within a day, the second has whole days, the third is within two
  // hours.
  [{ interval: "30d", start: "2026-11-18" }, "2026-11-15T00:00", "2026-11-17T09:30:15.250", "2026-11-16T00:00", 3],
  [
    { interval: "30d", start: "2026-11-16", end: "2026-11-29" },
    "2026-11-02T00:00",
    "2026-11-06T09:30:15.250",
    "2026-11-03T00:00",
    5,
  ],
  [
    { interval: "30d", start: "2026-11-20T08:10Z", end: "2026-11-20T10:20Z" },
    "2026-11-20T06:00",
    "2026-11-20T07:20:15.250",
    "2026-11-20T06:50",
    2,
  ],
];

describe("previousPeriod", () => {
  test.each(previous)("%j is compared with the period from %s to %s", (question, start, end, second, buckets) => {
    const range = resolveRange(question, { now, earliest });

    const { from, to, starts } = previousPeriod(range, now);

    expect([from, to, starts[1]]).toEqual([start, end, second].map((text) => Date.parse(`${text}Z`)));
    expect(starts).toHaveLength(buckets);
  });

  test("the last buckets of both periods have the same elapsed time, at any time and in any time zone", () => {
    const random = seededRandom(17);
    for (const timezone of ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe"]) {
      for (const interval of ["24h", "7d", "30d", "90d", "1y", "today", "wtd", "mtd", "qtd", "ytd"] as const) {
        for (let round = 0; round < 25; round++) {
          const at = Date.UTC(2017, 0) + Math.floor(random() * 10 * 365 * dayMs);
          const range = resolveRange({ interval, timezone }, { now: at, earliest });
          const starts = bucketStarts(range);

          const { to, starts: before } = previousPeriod(range, at);

          const last = before.at(-1) ?? 0;
          const elapsed = at - (starts[before.length - 1] ?? 0);
          expect({ at, timezone, interval, to: Math.min(to, last + elapsed) }).toEqual({ at, timezone, interval, to });
          expect(to).toBeLessThanOrEqual(range.from);
        }
      }
    }
  });

  test("a shorter month is compared as a whole with the current one", () => {
    const at = Date.parse("2026-03-30T12:00:00Z");
    const range = resolveRange({ interval: "mtd" }, { now: at, earliest });

    const { from, to, starts } = previousPeriod(range, at);

    expect([from, to]).toEqual([Date.UTC(2026, 1), Date.UTC(2026, 2)]);
    expect(starts).toHaveLength(28);
  });

  test("a future period is compared with an empty one", () => {
    const range = resolveRange({ interval: "30d", start: "2026-11-22", end: "2026-11-23" }, { now, earliest });

    const { from, to } = previousPeriod(range, now);

    expect(to).toBe(from);
  });
});

/** TABLE of parameters and compared periods: parameters, comparison, start, end, starts of the buckets from the second. */
const compared: [RangeInput, ComparisonInput, start: string, end: string, starts: string[]][] = [
  [{ interval: "last_week" }, { compare: "year" }, "2025-11-10T00:00", "2025-11-17T00:00", ["2025-11-11T00:00"]],
  [{ interval: "wtd" }, { compare: "year" }, "2025-11-17T00:00", "2025-11-21T09:30:15.250", ["2025-11-18T00:00"]],
  [{ interval: "last_month" }, { compare: "year" }, "2025-10-01T00:00", "2025-11-01T00:00", ["2025-10-02T00:00"]],
  [{ interval: "30d" }, { compare: "year" }, "2025-10-21T00:00", "2025-11-20T09:30:15.250", ["2025-10-22T00:00"]],
  [{ interval: "24h" }, { compare: "year" }, "2025-11-19T09:00", "2025-11-20T09:30:15.250", ["2025-11-19T10:00"]],
  [{ interval: "ytd" }, { compare: "year" }, "2025-01-01T00:00", "2025-11-20T09:30:15.250", ["2025-02-01T00:00"]],
  [
    { interval: "30d", start: "2024-02-28", end: "2024-02-28" },
    { compare: "year" },
    "2023-02-28T00:00",
    "2023-03-01T00:00",
    ["2023-02-28T01:00"],
  ],
  [
    { interval: "30d", start: "2024-02-29", end: "2024-02-29" },
    { compare: "year" },
    "2023-02-28T00:00",
    "2023-03-01T00:00",
    ["2023-02-28T01:00"],
  ],
  [
    { interval: "last_month", timezone: "Europe/Berlin" },
    { compare: "year" },
    "2025-09-30T22:00",
    "2025-10-31T23:00",
    ["2025-10-01T22:00"],
  ],
  [
    { interval: "last_month" },
    { compare: "custom", compareStart: "2026-08-01", compareEnd: "2026-08-31" },
    "2026-08-01T00:00",
    "2026-09-01T00:00",
    ["2026-08-02T00:00"],
  ],
  [
    { interval: "mtd" },
    { compare: "custom", compareStart: "2026-08-31", compareEnd: "2026-08-01" },
    "2026-08-01T00:00",
    "2026-08-20T09:30:15.250",
    ["2026-08-02T00:00"],
  ],
  // Weeks and months of the compared period are cut on the same days as those of the report.
  [
    { interval: "mtd", unit: "week" },
    { compare: "previous" },
    "2026-10-01T00:00",
    "2026-10-20T09:30:15.250",
    ["2026-10-02T00:00", "2026-10-09T00:00", "2026-10-16T00:00"],
  ],
  [
    { interval: "90d", unit: "month" },
    { compare: "previous" },
    "2026-05-23T00:00",
    "2026-08-21T09:30:15.250",
    ["2026-06-02T00:00", "2026-07-02T00:00", "2026-08-02T00:00"],
  ],
  [
    { interval: "ytd", unit: "day" },
    { compare: "previous" },
    "2025-01-01T00:00",
    "2025-11-20T09:30:15.250",
    ["2025-01-02T00:00", "2025-01-03T00:00"],
  ],
];

describe("comparedPeriod", () => {
  test.each(compared)("%j compared by %j is from %s to %s", (question, comparison, start, end, second) => {
    const range = resolveRange(question, { now, earliest });

    const period = comparedPeriod(range, comparison, now);

    expect([period?.from, period?.to]).toEqual([start, end].map((text) => Date.parse(`${text}Z`)));
    expect(period?.starts.slice(1, 1 + second.length)).toEqual(second.map((text) => Date.parse(`${text}Z`)));
  });

  test.each([
    [{ compare: "custom" }, "compareStart: is required with compare=custom."],
    [{ compare: "custom", compareStart: "2026-01-01" }, "compareEnd: is required with compare=custom."],
    [{ compare: "previous", compareStart: "2026-01-01" }, "compareStart: requires compare=custom."],
    [{ compareEnd: "2026-01-01" }, "compareEnd: requires compare=custom."],
    [{ compare: "custom", compareStart: "soon", compareEnd: "2026-01-01" }, "compareStart: must be a date such as"],
  ] as [ComparisonInput, string][])("%j is refused", (comparison, message) => {
    const range = resolveRange({ interval: "7d" }, { now, earliest });

    expect(refusal(() => comparedPeriod(range, comparison, now))).toStartWith(message);
  });

  test("a longer compared period has one more bucket than the report, where the comparison of its buckets ends", () => {
    const range = resolveRange({ interval: "last_week", unit: "hour" }, { now, earliest });
    const years = { compare: "custom", compareStart: "1970-01-01", compareEnd: "2099-12-31" } as const;

    expect(comparedPeriod(range, years, now)?.starts).toHaveLength(7 * 24 + 1);
  });
});

function refusal(resolve: () => unknown): string {
  try {
    resolve();
  } catch (error) {
    if (error instanceof Problem && error.code === "unprocessable_entity") return error.message;
    throw error;
  }
  return "nothing was refused";
}
