import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { fieldValueOf, instantAt, parseClock, parseTime, timeTextOf } from "./time-text.ts";

describe("a day is parsed", () => {
  test.each([
    ["2026-11-20", "2026-11-20"],
    [" 2026-1-5 ", "2026-01-05"],
    ["2026/11/20", "2026-11-20"],
    ["20.11.2026", "2026-11-20"],
    ["5. 1. 2026", "2026-01-05"],
    ["2026年11月20日", "2026-11-20"],
    ["2028-02-29", "2028-02-29"],
  ])("from %s", (text, day) => {
    expect(parseTime(text, "day")).toBe(day);
  });

  test.each(["", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-11-31", "11/20/2026", "01/02/2026", "soon"])(
    "not from %p",
    (text) => {
      expect(parseTime(text, "day")).toBeUndefined();
    },
  );

  test("not from a text with a time, which would be lost", () => {
    expect(parseTime("2026-11-20 09:30", "day")).toBeUndefined();
  });
});

describe("an instant is parsed", () => {
  test.each([
    ["2026-11-20 09:30", "2026-11-20T09:30"],
    ["2026-11-20T09:30", "2026-11-20T09:30"],
    ["2026-11-20 9:30 pm", "2026-11-20T21:30"],
    ["2026-11-20, 12:05 AM", "2026-11-20T00:05"],
    ["20.11.2026, 9.30 Uhr", "2026-11-20T09:30"],
    ["2026年11月20日 9：30", "2026-11-20T09:30"],
    ["2026-11-20", "2026-11-20T00:00"],
  ])("from %s", (text, instant) => {
    expect(parseTime(text, "instant")).toBe(instant);
  });

  test.each(["2026-11-20 24:00", "2026-11-20 09:60", "2026-11-20 13:00 pm", "2026-11-20 later", "09:30"])(
    "not from %s",
    (text) => {
      expect(parseTime(text, "instant")).toBeUndefined();
    },
  );
});

test.each([
  ["9", "09:00"],
  ["0930", "09:30"],
  ["9pm", "21:00"],
  ["12 a.m.", "00:00"],
  ["23:59", "23:59"],
])("the time of day %s is %s", (text, clock) => {
  expect(parseClock(text)).toBe(clock);
});

test.each([
  ["上午9:30", "09:30"],
  ["下午 9:30", "21:30"],
])("the time of day %s is %s", (text, clock) => {
  expect(parseClock(text)).toBe(clock);
});

test.each([
  ["en-US", "Nov 20, 2026, 9:30 AM"],
  ["en-US", "November 20, 2026 at 9:30 am"],
  ["en-GB", "20 Nov 2026, 09:30"],
  ["en-GB", "20 november 2026 09:30"],
  ["en-US", "2026-11-20 09:30"],
  ["de-DE", "20.11.2026, 09:30"],
  ["de-AT", "20. November 2026 um 9.30 Uhr"],
  ["zh-Hans-CN", "2026年11月20日 09:30"],
])("in %s an instant is parsed from %s", (locale, text) => {
  expect(timeTextOf(locale).read(text, "instant")).toBe("2026-11-20T09:30");
});

describe("numbers separated by slashes or hyphens are read in the order of the region", () => {
  test.each([
    ["en-US", "12/31/2026", "2026-12-31"],
    ["en-US", "1/2/2026", "2026-01-02"],
    ["en-US", "12-31-2026", "2026-12-31"],
    ["en-GB", "31/12/2026", "2026-12-31"],
    ["en-GB", "01/02/2026", "2026-02-01"],
    ["de-DE", "31/12/2026", "2026-12-31"],
    ["en", "12/31/2026", "2026-12-31"],
    ["en", "31/12/2026", "2026-12-31"],
    ["en-CA", "05/05/2026", "2026-05-05"],
  ])("in %s, %s is %s", (locale, text, day) => {
    expect(timeTextOf(locale).read(text, "day")).toBe(day);
  });

  test.each([
    ["en-US", "31/12/2026"],
    ["en-GB", "12/31/2026"],
    ["en", "01/02/2026"],
    ["en-CA", "01/02/2026"],
    ["en-US", "12/31-2026"],
    ["en-US", "12/31/26"],
  ])("in %s, %s is rejected", (locale, text) => {
    expect(timeTextOf(locale).read(text, "day")).toBeUndefined();
  });

  test("also before a time", () => {
    expect(timeTextOf("en-US").read("12/31/2026 6 pm", "instant")).toBe("2026-12-31T18:00");
  });
});

describe("a day without a time", () => {
  test("stays a day where a time is optional, in every format", () => {
    const { read, write } = timeTextOf("en-US");

    expect(read("12/31/2026", "dayOrInstant")).toBe("2026-12-31");
    expect(read("Dec 31, 2026, 6:00 PM", "dayOrInstant")).toBe("2026-12-31T18:00");
    expect(write("2026-12-31", "dayOrInstant")).toBe("Dec 31, 2026");
    expect(write("2026-12-31T18:00", "dayOrInstant")).toBe("Dec 31, 2026, 6:00 PM");
  });

  test("is its first instant as a start, and the first one after it as an end", () => {
    expect(instantAt("2026-12-31", "start")).toBe(new Date("2026-12-31T00:00").toISOString());
    expect(instantAt("2026-12-31", "end")).toBe(new Date("2027-01-01T00:00").toISOString());
    expect(instantAt("2026-12-31T18:00", "end")).toBe(new Date("2026-12-31T18:00").toISOString());
    expect(instantAt("soon", "end")).toBeNull();
  });

  test("is read back from the instant it stands for", () => {
    for (const edge of ["start", "end"] as const) {
      expect(fieldValueOf(instantAt("2026-12-31", edge) ?? "", edge)).toBe("2026-12-31");
      expect(fieldValueOf(new Date("2026-12-31T18:00").toISOString(), edge)).toBe("2026-12-31T18:00");
    }
    expect(timeTextOf("en-US").writeEnd(instantAt("2026-12-31", "end") ?? "")).toBe("Dec 31, 2026");
    expect(fieldValueOf(new Date("2026-12-31T23:59:30").toISOString(), "end")).toBe("2026-12-31T23:59");
  });
});

// In separate processes, because a process has one time zone.
test.each(["Asia/Tokyo", "America/New_York", "UTC"])(
  "in %s, the first and the last day that the API accepts are read and shown as these days",
  (TZ) => {
    const script = `
      const { fieldValueOf, instantAt } = await import(${JSON.stringify(join(import.meta.dir, "time-text.ts"))});
      const days = ["1970-01-01", "9999-12-31"].flatMap((day) => [[day, "start"], [day, "end"]]);
      const instants = days.map(([day, edge]) => instantAt(day, edge));
      const shown = instants.map((instant, index) => fieldValueOf(instant, days[index][1]));
      const stored = fieldValueOf("9999-12-31T23:59:59.999Z", "end");
      console.log(JSON.stringify({ instants, shown, stored, before: instantAt("1969-12-31", "start") }));
    `;

    const child = Bun.spawnSync([process.execPath, "-e", script], { env: { ...process.env, TZ } });
    const read = Limits.parse(JSON.parse(child.stdout.toString()));

    const [start, , , end] = read.instants;
    expect(read.shown).toEqual(["1970-01-01", "1970-01-01", "9999-12-31", "9999-12-31"]);
    expect(read.stored).toBe("9999-12-31");
    expect(read.before < "1970").toBe(true);
    expect(start).toBe(TZ === "America/New_York" ? "1970-01-01T05:00:00.000Z" : "1970-01-01T00:00:00.000Z");
    expect(end).toBe(TZ === "Asia/Tokyo" ? "9999-12-31T15:00:00.000Z" : "9999-12-31T23:59:59.999Z");
  },
);

const Limits = z.object({
  instants: z.array(z.string()),
  shown: z.array(z.string()),
  stored: z.string(),
  before: z.string(),
});

const regions = [
  "US",
  "GB",
  "AU",
  "CA",
  "IN",
  "ZA",
  "IE",
  "NZ",
  "SE",
  "DK",
  "FI",
  "DE",
  "AT",
  "CH",
  "LI",
  "CN",
  "TW",
  "HK",
];
const locales = ["en", "de", "zh-Hans"].flatMap((language) => [
  language,
  ...regions.map((region) => `${language}-${region}`),
]);

test.each(locales)("in %s formatted times parse to the same value, in each month and half of the day", (locale) => {
  const { read, write, writeClock } = timeTextOf(locale);
  const days = Array.from({ length: 12 }, (_, month) => `2026-${String(month + 1).padStart(2, "0")}-05`);
  const instants = days.flatMap((day) => ["T00:00", "T09:30", "T12:05", "T21:59"].map((time) => day + time));

  expect(days.map((day) => read(write(day, "day"), "day"))).toEqual(days);
  expect(instants.map((instant) => read(write(instant, "instant"), "instant"))).toEqual(instants);
  expect(["00:00", "09:30", "23:59"].map((time) => parseClock(writeClock(time)))).toEqual(["00:00", "09:30", "23:59"]);
});

test("fields format times as the rest of the dashboard; other text stays as typed", () => {
  const { write, writeClock } = timeTextOf("en-GB");

  expect(write("2026-11-20", "day")).toBe("20 Nov 2026");
  expect(write("2026-11-20T09:30", "instant")).toBe("20 Nov 2026, 09:30");
  expect(writeClock("09:30")).toBe("09:30");
  expect(write("next week", "instant")).toBe("next week");
});
