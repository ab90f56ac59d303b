import { describe, expect, test } from "bun:test";
import { dayMs, utcDay } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import { countryCodes } from "../../src/clicks/continents.ts";
import { clickBytes, clickId, clickIdStart, frameHeaderBytes } from "../../src/clicks/spool-format.ts";
import type { TrafficLink } from "./click-batch.ts";
import { linkProfiles } from "./link-profiles.ts";
import { SeededRandom } from "./seeded-random.ts";
import { daysTouched, Traffic, type TrafficPlan } from "./traffic.ts";

const spoolId = "0123456789abcdef0123456789abcdef";
/** A Wednesday, in the middle of a day and of an hour. */
const to = Date.UTC(2026, 10, 18, 13, 37, 11);
const clickCount = 60_000;

function planOf({ clicks = clickCount, links = 500, workspaces = 10, days = 84, seed = 1 } = {}): TrafficPlan {
  const from = to - days * dayMs;
  const profiles = linkProfiles({ links, workspaces, days: daysTouched(from, to) }, new SeededRandom(seed));
  const list = Array.from(profiles.workspaces, (workspace, index): TrafficLink => {
    const target = { workspaceId: workspace + 1, linkId: `link_${index}`, domainId: "dom_a", domain: "go.example" };
    const place = { key: `k${index}`, url: `https://www.example.com/${index}` };
    const utm = { utm_source: "news", utm_medium: "", utm_campaign: "", utm_term: "", utm_content: "" };
    return { ...target, ...place, ...utm, qrShare: index % 2 };
  });
  return { clicks, from, to, seed, spoolId, links: list, profiles };
}

function clicksOf(traffic: Traffic, batchClicksMax = 20_000): Click[] {
  return [...traffic.batches(batchClicksMax)].flatMap(({ rows }) => rows);
}

function shareOf(clicks: readonly Click[], predicate: (click: Click) => boolean): number {
  return clicks.filter(predicate).length / clicks.length;
}

const plan = planOf();
const traffic = new Traffic(plan);
const clicks = clicksOf(traffic);
const people = clicks.filter(({ bot }) => bot === "");

describe("the clicks of a plan", () => {
  test.each([
    { clicks: 1, links: 1, workspaces: 1, days: 1 },
    { clicks: 7, links: 300, workspaces: 300, days: 400 },
    { clicks: 12_345, links: 40, workspaces: 3, days: 2 },
  ])("have the requested number: %p", (wanted) => {
    expect(clicksOf(new Traffic(planOf(wanted)))).toHaveLength(wanted.clicks);
  });

  test("are in order of time, within the period of the plan", () => {
    const times = clicks.map(({ time }) => time);

    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.every((time) => Number.isInteger(time) && time >= plan.from && time < plan.to)).toBe(true);
  });

  test("are equal for equal seeds and any batch size, and differ for another seed", () => {
    const short = { clicks: 3_000, links: 50, workspaces: 4, days: 30 };
    const inBatches = (max: number, seed: number) =>
      clicksOf(new Traffic(planOf({ ...short, seed })), max).map(({ id: _, ...click }) => click);

    const whole = inBatches(20_000, 5);

    expect(inBatches(999, 5)).toEqual(whole);
    expect(inBatches(20_000, 6)).not.toEqual(whole);
  });

  test("come in consecutive batches like frames of a spool, with ids by their positions", () => {
    const batches = [...new Traffic(planOf({ clicks: 2_500 })).batches(1_000)];

    expect(batches.map(({ rows }) => rows.length)).toEqual([1_000, 1_000, 500]);
    let position = 0;
    for (const { batch, rows } of batches) {
      const first = position + frameHeaderBytes;
      expect(batch).toEqual({ spoolId, from: position, to: first + rows.length * clickBytes });
      expect(rows.map(({ id }) => id)).toEqual(
        rows.map((_, index) => clickId(clickIdStart(spoolId), first + index * clickBytes)),
      );
      position = batch.to;
    }
  });

  test("are counted by link as a reader of the spool counts them", () => {
    const counts = new Array<number>(plan.links.length).fill(0);
    const last = new Array<number>(plan.links.length).fill(0);
    for (const { linkId, time } of people) {
      const index = Number(linkId.slice("link_".length));
      counts[index] = (counts[index] ?? 0) + 1;
      last[index] = time;
    }

    expect([...traffic.clicks]).toEqual(counts);
    expect([...traffic.lastClicked]).toEqual(last);
  });
});

describe("the distribution of clicks", () => {
  test("follows Zipf's law among workspaces and among their links", () => {
    const ofWorkspace = (id: number) => shareOf(clicks, ({ workspaceId }) => workspaceId === id);
    const first = clicks.filter(({ workspaceId }) => workspaceId === 1);

    // 1 / (1 + 1/2 + … + 1/10)
    expect(ofWorkspace(1)).toBeCloseTo(0.341, 1);
    expect(ofWorkspace(10)).toBeCloseTo(0.034, 1);
    expect(shareOf(first, ({ linkId }) => linkId === "link_0")).toBeWithin(0.13, 0.22);
  });

  test("no link is clicked before its first day", () => {
    const firstDay = Math.floor(plan.from / dayMs);
    const early = clicks.filter(({ linkId, time }) => {
      const birthDay = plan.profiles.birthDays[Number(linkId.slice("link_".length))] ?? 0;
      return Math.floor(time / dayMs) - firstDay < birthDay;
    });

    expect(early).toEqual([]);
  });

  test("weekends have fewer clicks", () => {
    const onDay = (day: number) => clicks.filter(({ time }) => new Date(time).getUTCDay() === day).length;

    expect(onDay(0)).toBeLessThan(0.85 * onDay(2));
    expect(onDay(6)).toBeLessThan(0.85 * onDay(2));
  });

  test("nights have few clicks, by the local time of each place", () => {
    const inHours = (country: string, from: number, end: number) =>
      people.filter((click) => click.country === country && hourOf(click) >= from && hourOf(click) < end).length;
    const hourOf = ({ time }: Click) => new Date(time).getUTCHours();

    expect(inHours("DE", 1, 4)).toBeLessThan(0.3 * inHours("DE", 10, 13));
    expect(inHours("JP", 17, 20)).toBeLessThan(0.3 * inHours("JP", 2, 5));
  });
});

describe("visitors", () => {
  test("one click in seven is a bot's, and every kind of bot occurs", () => {
    expect(shareOf(clicks, ({ bot }) => bot !== "")).toBeWithin(0.14, 0.16);
    expect(new Set(clicks.map(({ bot }) => bot))).toEqual(
      new Set(["", "search", "preview", "ai", "monitor", "tool", "prefetch", "head"]),
    );
  });

  test("people have realistic browsers, systems and devices", () => {
    expect(shareOf(people, ({ browser }) => browser === "Chrome")).toBeWithin(0.35, 0.55);
    expect(shareOf(people, ({ browser }) => browser === "Safari")).toBeWithin(0.2, 0.4);
    expect(shareOf(people, ({ device }) => device === "Mobile")).toBeWithin(0.55, 0.75);
    expect(shareOf(people, ({ browser, os, device }) => browser === "" && os === "" && device === "")).toBe(0);
  });

  test("places exist and have their continent, and most people have the language of their place", () => {
    expect(clicks.filter(({ country }) => country !== "" && !countryCodes.has(country))).toEqual([]);
    expect(clicks.filter(({ country, continent }) => (country === "") !== (continent === ""))).toEqual([]);
    expect(clicks.filter(({ country, region }) => region !== "" && !region.startsWith(`${country}-`))).toEqual([]);
    const germans = people.filter(({ country }) => country === "DE");
    expect(shareOf(germans, ({ language }) => language === "de")).toBeWithin(0.75, 0.95);
  });

  test("QR codes are scanned by phones without a referrer, and other clicks have many referrers", () => {
    const scans = people.filter(({ trigger }) => trigger === "qr");

    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter(({ device, referer }) => device !== "Mobile" || referer !== "")).toEqual([]);
    expect(shareOf(people, ({ referer }) => referer === "")).toBeWithin(0.3, 0.75);
    expect(new Set(people.map(({ referer }) => referer)).size).toBeGreaterThan(30);
    expect(new Set(people.map(({ refererUrl }) => refererUrl)).size).toBeGreaterThan(100);
  });

  test("a visitor hash belongs to one person in one place with one browser on one day", () => {
    const visitors = Map.groupBy(
      clicks.filter(({ visitor }) => visitor !== ""),
      ({ visitor }) => visitor,
    );
    const inconsistent = [...visitors.values()].filter((visitorClicks) => {
      const personHash = visitorClicks.map(({ time, country, city, browser, os, bot }) =>
        [utcDay(time), country, city, browser, os, bot].join(),
      );
      return new Set(personHash).size > 1;
    });

    expect(inconsistent).toEqual([]);
    expect([...visitors.keys()].every((visitor) => /^[0-9a-f]{16}$/.test(visitor))).toBe(true);
  });

  test("some people return to a link on the same day, and some opt out of tracking", () => {
    const first = people.filter(({ linkId, visitor }) => linkId === "link_0" && visitor !== "");
    const visitors = new Set(first.map(({ visitor }) => visitor));

    expect(visitors.size / first.length).toBeWithin(0.65, 0.9);
    expect(shareOf(people, ({ visitor }) => visitor === "")).toBeWithin(0.005, 0.03);
  });
});
