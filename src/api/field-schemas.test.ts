import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { datesInZone, instant, queryInteger } from "./field-schemas.ts";

const noon = "2027-01-31T12:00:00.000Z";
const midnight = "2027-01-31T00:00:00.000Z";
/** TABLE of texts and the instants that they name; null for texts that name none. */
const readings: [string, string | null][] = [
  ["2027-01-31T12:00:00Z", noon],
  ["2027-01-31T12:00:00", noon],
  ["2027-01-31T12:00", noon],
  [" 2027-01-31T12:00:00.000 ", noon],
  ["2027-01-31 12:00:00", noon],
  ["2027-01-31T07:00:00-05:00", noon],
  ["2027-01-31T13:00+01:00", noon],
  ["2027-01-31T13:00:00.000000+0100", noon],
  ["2027-01-31t12:00z", noon],
  ["2027-01-31 12:00:00 UTC", null],
  ["31.01.2027", null],
  ["11/12/2026", null],
  ["Jan 31 2027 12:00", null],
  ["Sun, 31 Jan 2027 12:00:00 GMT", null],
  ["Sun Jan 31 2027 13:00:00 GMT+0100 (CET)", null],
  ["2027-01-31", midnight],
  ["Jan 31 2027", null],
  ["1/31/2027", null],
  ["01-31-2027", null],
  ["1/31/2027, 12:00:00 PM", null],
  ["January 31, 2027 12:00", null],
  ["Sun Jan 31 2027", null],
  ["2027/01/31", null],
  ["2027-01", "2027-01-01T00:00:00.000Z"],
  ["2027", "2027-01-01T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2027-02-29", null],
  ["2027-02-31", null],
  ["2027-02-31T12:00:00Z", null],
  ["2027-13-01", null],
  ["2027-00-10", null],
  ["Feb 31 2027", null],
  ["Wed, 31 Feb 2027 12:00:00 GMT", null],
  ["2/31/2027", null],
  ["31/1/2027", null],
  ["Foo 31 2027", null],
  ["5", null],
  ["1", null],
  ["12345", null],
  ["1798718400000", null],
  ["maybe 5", null],
  ["tomorrow", null],
  ["", null],
  ["1969-12-31T23:59:59", null],
];

// In a separate process, because a process has one time zone.
test.each(["America/New_York", "Asia/Kolkata", "UTC"])(
  "an instant without an offset is in UTC on a server in %s",
  (TZ) => {
    const script = `
    const { instant } = await import(${JSON.stringify(join(import.meta.dir, "field-schemas.ts"))});
    const texts = ${JSON.stringify(readings.map(([text]) => text))};
    const read = (text) => instant().safeParse(text).data;
    console.log(JSON.stringify(texts.map((text) => [text, read(text) === undefined ? null : new Date(read(text))])));
  `;

    const child = Bun.spawnSync([process.execPath, "-e", script], { env: { ...process.env, TZ } });

    expect(JSON.parse(child.stdout.toString())).toEqual(readings);
  },
);

test.each([
  ["2027-01-31", "2027-01-31", "2027-02-01"],
  ["2027-01-31T00:00:00Z", "2027-01-31", "2027-01-31"],
  ["2027-01", "2027-01-01", "2027-01-01"],
  ["9999-12-31", "9999-12-31", "9999-12-31T23:59:59.999Z"],
])("the start and the end of %s are %s and %s", (text, start, end) => {
  expect([instant("start").parse(text), instant("end").parse(text)]).toEqual([Date.parse(start), Date.parse(end)]);
});

test.each([
  ["1969-12-31", "must be from 1970 to 9999, in UTC"],
  ["1970-01-01T08:00:00+09:00", "must be from 1970 to 9999, in UTC"],
  ["soon", "must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z"],
])("%s is refused: it %s", (text, message) => {
  expect(
    instant()
      .safeParse(text)
      .error?.issues.map((issue) => issue.message),
  ).toEqual([message]);
});

const edges = { startsAt: "start", expiresAt: "end" } as const;

test.each([
  ["Europe/Berlin", "2027-01-31", "2027-01-30T23:00:00.000Z", "2027-01-31T23:00:00.000Z"],
  // The clock is set forward on this day, which has 23 hours.
  ["Europe/Berlin", "2027-03-28", "2027-03-27T23:00:00.000Z", "2027-03-28T22:00:00.000Z"],
  ["America/New_York", "2027-01-31", "2027-01-31T05:00:00.000Z", "2027-02-01T05:00:00.000Z"],
  ["Europe/Berlin", "2027-01-31T12:00:00Z", "2027-01-31T12:00:00Z", "2027-01-31T12:00:00Z"],
  ["America/New_York", "9999-12-31", "9999-12-31T05:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  ["Asia/Tokyo", "1970-01-01", "1970-01-01T00:00:00.000Z", "1970-01-01T15:00:00.000Z"],
])("in %s %s reaches from %s to %s", (timezone, text, startsAt, expiresAt) => {
  const schema = z.preprocess(datesInZone(edges), z.looseObject({}));

  expect(schema.parse({ timezone, startsAt: text, expiresAt: text })).toMatchObject({ startsAt, expiresAt });
});

test("an unknown time zone is refused", () => {
  const schema = z.preprocess(datesInZone(edges), z.looseObject({}));

  for (const timezone of ["Mars/Olympus", 1, null, ""]) {
    expect(schema.safeParse({ timezone }).error?.issues.map(({ path }) => path)).toEqual([["timezone"]]);
  }
});

test.each([
  ["100", 100],
  ["100.0", 100],
  ["1.000", 1],
  ["100.5", undefined],
  ["1e2", undefined],
  ["0x1", undefined],
  ["1.", undefined],
  ["-1.0", undefined],
  ["101.0", undefined],
  ["", undefined],
])("a whole number in a query: %j", (text, number) => {
  expect(queryInteger(1, 100).safeParse(text).data).toBe(number);
});
