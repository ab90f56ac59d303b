/**
 * The numbers of analytics in a real browser, for the chosen period, time zone and metric. The tests compute the
 * expected numbers from the stored clicks, with no library but Intl.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { dayMs, hourMs } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import { pick, randomClick, seededRandom } from "../support/clicks.ts";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually, type TestServer } from "../support/server.ts";
import { storeClicks } from "../support/store-clicks.ts";
import { dayIn, daysBetween, hoursPerDay, wallClock, weekdayOf, weekdays } from "../support/wall-clock.ts";

/** Clicks by their age in days, far from the ends of every named period, and their number. */
const agesAndClicks = [
  [2 / 24, 5],
  [30 / 24, 2],
  [5, 9],
  [12, 12],
  [20, 31],
  [40, 7],
  [75, 4],
  [150, 48],
  [500, 60],
] as const;

/** TABLE of the named periods: the minimum number of days that each and its previous period cover. */
const namedPeriods = {
  "Last 24 hours": { days: 1, daysBefore: 2 },
  "Last 7 days": { days: 8, daysBefore: 16 },
  "Last 30 days": { days: 31, daysBefore: 62 },
  "Last 90 days": { days: 91, daysBefore: 182 },
  "Last 12 months": { days: 366, daysBefore: 732 },
} as const;

const zones = ["UTC", "Australia/Adelaide", "America/New_York"] as const;
type Zone = (typeof zones)[number];

/** The daylight saving time of New York ends in this period, on November 2. */
const fixed = { from: Date.UTC(2025, 9, 22), to: Date.UTC(2025, 10, 10) };
/** As typed: the first included and the first excluded minute. */
const custom = { start: "2025-10-28T09:15", end: "2025-11-06T18:45" };

const random = seededRandom(11);
const now = Date.now();
let recent: Click[] = [];
let old: Click[] = [];
const links = { recent: "", old: "" };

const world = openWalks({}, fillClicks);

test(
  "a named period shows its clicks, its visitors and their change",
  async () => {
    const page = await world.newPage({ timezoneId: "UTC" });
    await page.goto(world.url(`/analytics?linkId=${links.recent}`));
    const shown: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};

    for (const [name, { days, daysBefore }] of Object.entries(namedPeriods)) {
      const within = recent.filter(({ time }) => now - time < days * dayMs);
      const before = recent.filter(({ time }) => now - time >= days * dayMs && now - time < daysBefore * dayMs);
      expected[name] = [
        headline("Clicks", within.length, before.length),
        headline("Visitors", visitorsOf(within), visitorsOf(before)),
      ];
      await page.getByRole("button", { name: /^Period/ }).click();
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("button", { name: `Period: ${name}` }).waitFor();
      shown[name] = await readUntil(() => headlines(page), expected[name]);
    }

    expect(shown).toEqual(expected);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "all time has no period before, so its numbers have no change",
  async () => {
    const page = await world.newPage({ timezoneId: "UTC" });
    await page.goto(world.url(`/analytics?linkId=${links.recent}`));
    await page
      .getByText(/, from \d+ \(/)
      .first()
      .waitFor({ state: "attached" });
    const expected = [`Clicks ${recent.length}`, `Visitors ${visitorsOf(recent)}`];

    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("button", { name: "All time", exact: true }).click();
    await page.getByRole("button", { name: "Period: All time" }).waitFor();

    expect(await readUntil(() => headlines(page), expected)).toEqual(expected);
    expect(await page.getByText(/, from \d+ \(/).count()).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

describe("a custom period in the chosen time zone", () => {
  let page: Page;
  beforeAll(async () => {
    page = await world.newPage({ timezoneId: "Australia/Adelaide" });
    await page.goto(world.url(`/analytics?linkId=${links.old}&tables=series,week`));
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("switch", { name: "Set times" }).click();
    await page.getByLabel("From", { exact: true }).fill(custom.start);
    await page.getByLabel("Until", { exact: true }).fill(custom.end);
    await page.getByRole("button", { name: "Apply" }).click();
  }, walkMsMax);

  // The browser's own zone comes first, by default.
  test.each(["Australia/Adelaide", "America/New_York", "UTC"] satisfies Zone[])(
    "shows the right days, hours of the week, totals and rows in %s",
    async (zone) => {
      await chooseZone(page, zone);

      for (const metric of ["Clicks", "Visitors"] as const) {
        await page.getByRole("button", { name: new RegExp(`^${metric} \\d`) }).click();
        const expected = numbersIn(zone, metric);
        expect(await readUntil(() => shownNumbers(page), expected)).toEqual(expected);
      }
      expect(world.pageErrors).toEqual([]);
    },
    walkMsMax,
  );

  test(
    "the heat map has the same numbers as its table, visible and for screen readers",
    async () => {
      await page.getByRole("button", { name: "Show as chart: By day and hour" }).click();
      const expected = numbersIn("UTC", "Visitors").week;

      const drawn = await readUntil(() => shownWeek(page), expected);
      const headers = await weekTable(page).locator("thead th").allTextContents();
      const [wednesday, hour] = [3, 18];
      const number = Number(expected[wednesday]?.[1 + hour]);
      await weekTable(page).locator("tbody tr").nth(wednesday).locator("td").nth(hour).hover();

      expect(drawn).toEqual(expected);
      expect(headers).toEqual(["Day", ...Array.from({ length: hoursPerDay }, (_, each) => clockHour(each))]);
      await page.getByText(`Wednesday, 6 PM to 7 PM: ${number === 1 ? "1 visitor" : `${number} visitors`}`).waitFor();
    },
    walkMsMax,
  );
});

test.each(["Clicks", "Visitors"] as const)(
  "%s with an unknown operating system have a row that filters the page",
  async (metric) => {
    const page = await world.newPage({ timezoneId: "UTC" });
    const count = (clicks: readonly Click[]) => (metric === "Clicks" ? clicks.length : visitorsOf(clicks));
    const [start, end] = [instantAt(custom.start, "UTC"), instantAt(custom.end, "UTC")];
    const within = old.filter(({ time }) => time >= start && time < end);
    const expected = ["iOS", "macOS", "Windows", ""]
      .map((name) => [name || "Unknown", count(within.filter(({ os }) => os === name))] as const)
      .sort(([one, ones], [other, others]) => Number(one === "Unknown") - Number(other === "Unknown") || others - ones)
      .map(([name, number]) => `${name} ${number}`);
    const search = `linkId=${links.old}&start=${custom.start}&end=${custom.end}&timezone=UTC&tabs=os`;
    await page.goto(world.url(`/analytics?${search}&metric=${metric.toLowerCase()}`));
    const card = page.getByRole("region", { name: "Devices" });
    const rows = async () =>
      (await card.locator("li > div > button:first-child").all()).map(async (row) =>
        (await row.locator("> span").allTextContents()).slice(0, 2).join(" "),
      );

    const shown = await readUntil(async () => await Promise.all(await rows()), expected);
    await card.getByRole("button", { name: /^Unknown/ }).click();
    await page.getByRole("button", { name: "Edit filter: OS" }).getByText("Unknown").waitFor();
    const filtered = await readUntil(async () => await Promise.all(await rows()), expected.slice(-1));

    expect(shown).toEqual(expected);
    expect(filtered).toEqual(expected.slice(-1));
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** Two links: one clicked at ages far from the ends of named periods, one in a fixed period at all hours. */
async function fillClicks(server: TestServer): Promise<TestServer> {
  links.recent = (await newLink(server, { url: "https://example.com/recent", key: "recent" })).id;
  links.old = (await newLink(server, { url: "https://example.com/old", key: "old" })).id;
  recent = agesAndClicks.flatMap(([age, count]) =>
    Array.from({ length: count }, () => newClick(links.recent, now - age * dayMs, 9)),
  );
  old = [
    ...Array.from({ length: 400 }, () => newClick(links.old, fixed.from + random() * (fixed.to - fixed.from), 30)),
    ...zones.flatMap(clicksAtBounds),
  ];
  return await storeClicks(server, [...recent, ...old]);
}

/** Clicks right before and right after the start and the end of the custom period in a zone. */
function clicksAtBounds(zone: Zone): Click[] {
  const [start, end] = [instantAt(custom.start, zone), instantAt(custom.end, zone)];
  return [start - 1, start, end - 1, end].map((time) => newClick(links.old, time, 30));
}

/** A click of one of `people` visitors, in one of two browsers. */
function newClick(linkId: string, time: number, people: number): Click {
  const visitor = Math.floor(random() * people)
    .toString(16)
    .padStart(16, "1");
  const browser = pick(random, ["Firefox", "Firefox", "Safari"]);
  const fields = { workspaceId: 1, linkId, bot: "" as const, visitor, browser };
  return { ...randomClick(random, { from: 0, to: 1 }, fields), time: Math.floor(time) };
}

/** The instant of a local time that occurs once in a zone. */
function instantAt(wall: string, zone: Zone): number {
  const wanted = Date.parse(`${wall}Z`);
  const quarters = Array.from({ length: 4 * 28 }, (_, quarter) => wanted + (quarter - 56) * (hourMs / 4));
  const found = quarters.filter((time) => wallClock(time, zone) === wall);
  const [instant] = found;
  if (instant === undefined || found.length > 1) throw new Error(`${wall} does not occur exactly once in ${zone}.`);
  return instant;
}

function visitorsOf(clicks: readonly Click[]): number {
  return new Set(clicks.map(({ visitor }) => visitor)).size;
}

/** The accessible text of a headline number. */
function headline(name: string, value: number, before: number): string {
  const percent = Math.round((value / before - 1) * 1_000) / 10;
  const change = value === before ? "0%" : before === 0 ? "new" : `${percent > 0 ? "+" : ""}${percent}%`;
  return `${name} ${value} ${change}, from ${before}`;
}

/** The accessible texts of the headline numbers, without the compared period. */
async function headlines(page: Page): Promise<string[]> {
  const buttons = await page.getByRole("group", { name: "Metric" }).getByRole("button").all();
  const parts = buttons.map((button) => button.locator("span:not(:has(span), [aria-hidden=true])").allTextContents());
  return (await Promise.all(parts)).map((texts) => texts.join(" ").replace(/ \(.*\)$/, ""));
}

/** Everything that depends on period, zone and metric, as in the page's tables. */
type Numbers = { figures: string[]; days: string[][]; week: string[][]; browsers: Record<string, string> };

function numbersIn(zone: Zone, metric: "Clicks" | "Visitors"): Numbers {
  const [start, end] = [instantAt(custom.start, zone), instantAt(custom.end, zone)];
  const count = (clicks: readonly Click[]) => String(metric === "Clicks" ? clicks.length : visitorsOf(clicks));
  const within = old.filter(({ time }) => time >= start && time < end);
  const before = old.filter(({ time }) => time >= start - (end - start) && time < start);
  const days = daysBetween(custom.start, custom.end).map((day) => {
    const ofDay = within.filter(({ time }) => dayIn(time, zone) === day);
    return [day, count(ofDay)];
  });
  // In the United States weeks begin on Sunday.
  const week = [...weekdays.slice(-1), ...weekdays.slice(0, -1)].map((weekday) => [
    weekday,
    ...Array.from({ length: hoursPerDay }, (_, hour) =>
      count(
        within.filter(({ time }) => {
          const wall = wallClock(time, zone);
          return weekdayOf(wall) === weekday && Number(wall.slice(11, 13)) === hour;
        }),
      ),
    ),
  ]);
  const browsers = ["Firefox", "Safari"].map((name) => [name, count(within.filter(({ browser }) => browser === name))]);
  const figures = [
    headline("Clicks", within.length, before.length),
    headline("Visitors", visitorsOf(within), visitorsOf(before)),
  ];
  return { figures, days, week, browsers: Object.fromEntries(browsers) };
}

async function shownNumbers(page: Page): Promise<Numbers> {
  const browsers: Record<string, string> = {};
  for (const name of ["Firefox", "Safari"]) {
    const parts = page.getByRole("button", { name: new RegExp(`^${name} `) }).locator("> span");
    browsers[name] = (await parts.allTextContents())[1] ?? "";
  }
  return { figures: await headlines(page), days: await shownDays(page), week: await shownWeek(page), browsers };
}

/** The days of the chart's table, such as 2025-11-01, with their numbers. */
async function shownDays(page: Page): Promise<string[][]> {
  const rows = await cellsOf(page.getByRole("region", { name: /over time$/ }).getByRole("table"));
  return rows.map(([day = "", value = ""]) => [dayIn(Date.parse(`${day} 00:00 UTC`), "UTC"), value]);
}

async function shownWeek(page: Page): Promise<string[][]> {
  return await cellsOf(weekTable(page));
}

function weekTable(page: Page) {
  return page.getByRole("region", { name: "By day and hour" }).getByRole("table");
}

async function cellsOf(table: ReturnType<typeof weekTable>): Promise<string[][]> {
  return await table
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}

async function chooseZone(page: Page, zone: Zone): Promise<void> {
  await page.getByRole("button", { name: /^Period/ }).click();
  await page.getByRole("button", { name: /^Time zone/ }).click();
  await page.getByRole("combobox", { name: "Find a time zone" }).fill(zone);
  await page.getByRole("option", { name: new RegExp(`^${zone.replaceAll("_", " ")}( ?UTC.*)?$`) }).click();
}

/** The label of an hour in the heat map. */
function clockHour(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? "AM" : "PM"}`;
}

/**
 * Reads until the value is the expected one, and returns the last value read: a page shows the previous response until
 * the next one arrives.
 */
async function readUntil<Value>(read: () => Promise<Value>, expected: Value): Promise<Value> {
  return await eventually(read, (value) => Bun.deepEquals(value, expected));
}
