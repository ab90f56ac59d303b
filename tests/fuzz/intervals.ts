import assert from "node:assert/strict";
import fc from "fast-check";
import { comparedPeriod, comparisons } from "../../src/analytics/compared-period.ts";
import {
  bucketStarts,
  bucketsMax,
  intervalMsFor,
  intervals as intervalNames,
  needsEarliest,
  resolveRange,
} from "../../src/analytics/interval.ts";
import { bucketUnits } from "../../src/analytics/time-zone.ts";
import { isoTime, minuteMs } from "../../src/base/time.ts";
import { parsed } from "./parsed.ts";
import { target } from "./target.ts";

const digits = (length: number, max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(length, "0"));
const day = fc
  .tuple(fc.integer({ min: 1968, max: 2101 }), digits(2, 13), digits(2, 32))
  .map((parts) => parts.join("-"));
const clock = fc.tuple(digits(2, 24), digits(2, 60)).map((parts) => parts.join(":"));
const offset = fc.oneof(
  fc.constantFrom("", "Z", "z"),
  fc.tuple(fc.constantFrom("+", "-", " "), digits(2, 15)).map(([sign, hours]) => `${sign}${hours}:30`),
);
const seconds = fc.constantFrom("", ":00", ":59", ":60", ":30.123");
const border = fc.oneof(
  { weight: 4, arbitrary: day },
  {
    weight: 6,
    arbitrary: fc.tuple(day, fc.constantFrom("T", " ", "t"), clock, seconds, offset).map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
);
const zone = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("UTC", "Europe/Berlin", "america/new_york", "Asia/Kathmandu", "Pacific/Apia"),
  },
  { weight: 3, arbitrary: fc.constantFrom("Africa/Monrovia", "Australia/Lord_Howe", "America/Havana", "Asia/Gaza") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 80 }) },
);
const instant = fc.integer({ min: Date.UTC(1970, 1), max: Date.UTC(2099, 10) });
const question = fc.record(
  {
    ...{ interval: fc.constantFrom(...intervalNames), start: border, end: border, timezone: zone },
    unit: fc.constantFrom(...bucketUnits),
  },
  { requiredKeys: ["interval"] },
);
const comparison = fc.oneof(
  fc.record({ compare: fc.constantFrom(...comparisons) }),
  fc.record({ compare: fc.constant("custom" as const), compareStart: border, compareEnd: border }),
);

/** A period is either refused, or has a limited number of buckets that cover it without a gap. */
export const intervals = target(
  "intervals",
  1_000,
  fc.property(question, comparison, instant, instant, (parameters, compared, now, earliest) => {
    needsEarliest(parameters);
    const range = parsed(() => resolveRange(parameters, { now, earliest }));
    if (range === undefined) return;
    assert(range.from < range.to);
    assert.equal(range.start, isoTime(range.from));
    assert.equal(range.end, isoTime(range.to));
    const starts = bucketStarts(range);
    assert(starts.length >= 1 && starts.length <= bucketsMax);
    assert((starts[0] ?? Number.NaN) <= range.from && (starts.at(-1) ?? Number.NaN) < range.to);
    assertAscending(starts);
    assert(intervalMsFor(starts) >= minuteMs);
    const previous = parsed(() => comparedPeriod(range, compared, now));
    if (previous !== undefined) {
      assert(previous.from <= previous.to && previous.starts.length >= 1);
      if (compared.compare !== "custom") assert(previous.to <= range.to);
      assertAscending(previous.starts);
      const usual = parsed(() => comparedPeriod({ ...range, unit: range.usualUnit }, compared, now));
      assert.deepEqual([previous.from, previous.to], [usual?.from, usual?.to]);
    }
    expectSameAsDate(parameters, range);
    // Written as instants, the period is the same; boundaries are exact to the minute.
    if (range.from % minuteMs !== 0 || range.to % minuteMs !== 0) return;
    const again = parsed(() => resolveRange({ interval: "7d", start: range.start, end: range.end }, { now, earliest }));
    if (again !== undefined) assert.deepEqual([again.from, again.to], [range.from, range.to]);
  }),
);

const ofUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::00)?Z$/;

/** Start and end in the simplest form equal those of the runtime's Date, and are swapped when reversed. */
function expectSameAsDate(
  { start = "", end = "" }: { start?: string; end?: string },
  range: { from: number; to: number },
) {
  if (!ofUtc.test(start) || !ofUtc.test(end)) return;
  const expected = [Date.parse(start), Date.parse(end)].sort((left, right) => left - right);
  assert.deepEqual([range.from, range.to], expected);
}

function assertAscending(starts: readonly number[]): void {
  for (const [index, start] of starts.entries()) assert(index === 0 || (starts[index - 1] ?? Number.NaN) < start);
}
