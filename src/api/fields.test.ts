import { expect, test } from "bun:test";
import { join } from "node:path";

/** TABLE of texts for one and the same instant, and some that are none. */
const noon = "2027-01-31T12:00:00.000Z";
const midnight = "2027-01-31T00:00:00.000Z";
const readings: [string, string | null][] = [
  ["2027-01-31T12:00:00Z", noon],
  ["2027-01-31T12:00:00", noon],
  ["2027-01-31T12:00", noon],
  [" 2027-01-31T12:00:00.000 ", noon],
  ["2027-01-31 12:00:00", noon],
  ["2027-01-31T07:00:00-05:00", noon],
  ["2027-01-31T13:00+01:00", noon],
  ["Jan 31 2027 12:00", noon],
  ["Sun, 31 Jan 2027 12:00:00 GMT", noon],
  ["Sun Jan 31 2027 13:00:00 GMT+0100 (CET)", noon],
  ["2027-01-31", midnight],
  ["Jan 31 2027", midnight],
  ["1/31/2027", midnight],
  ["01-31-2027", midnight],
  ["1/31/2027, 12:00:00 PM", noon],
  ["January 31, 2027 12:00", noon],
  ["Sun Jan 31 2027", midnight],
  ["2027/01/31", midnight],
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

// In a process of its own, because a process has one time zone.
test.each(["America/New_York", "Asia/Kolkata", "UTC"])(
  "an instant without an offset is in UTC on a server in %s",
  (TZ) => {
    const script = `
    const { instant } = await import(${JSON.stringify(join(import.meta.dir, "fields.ts"))});
    const texts = ${JSON.stringify(readings.map(([text]) => text))};
    const read = (text) => instant().safeParse(text).data;
    console.log(JSON.stringify(texts.map((text) => [text, read(text) === undefined ? null : new Date(read(text))])));
  `;

    const child = Bun.spawnSync([process.execPath, "-e", script], { env: { ...process.env, TZ } });

    expect(JSON.parse(child.stdout.toString())).toEqual(readings);
  },
);
