import { botKinds, type Click } from "../../src/clicks/click.ts";
import {
  baseUrlOf,
  type ClickPage,
  type ClickQuery,
  type ClickRow,
  type ClickSelection,
  type Dimension,
  type Filter,
  type Metric,
} from "../../src/clicks/query.ts";

/** A generator of numbers from 0 to below 1 (mulberry32). Equal seeds give equal numbers. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The value of a click's dimension. */
export function dimensionOf(click: Click, dimension: Dimension): string {
  switch (dimension) {
    case "baseUrl":
      return baseUrlOf(click.url);
    case "refererGroup":
      return plainGroup(click).refererGroup;
    case "channel":
      return plainGroup(click).channel;
    default:
      return click[dimension];
  }
}

/** TABLE of the referrers of random clicks that belong to a service. */
const services: Record<string, { refererGroup: string; channel: string }> = {
  "": { refererGroup: "", channel: "direct" },
  "instagram.com": { refererGroup: "Instagram", channel: "social" },
  "l.instagram.com": { refererGroup: "Instagram", channel: "social" },
  "t.co": { refererGroup: "X", channel: "social" },
  "google.de": { refererGroup: "Google", channel: "search" },
  "google.com": { refererGroup: "Google", channel: "search" },
};
/** Referrers of random clicks: those, and hosts that are groups by themselves. */
export const randomReferers = [...Object.keys(services), "example.org", "news.example", "xn--mnchen-3ya.example"];

/** The group and the channel of a random click's referrer. */
export function plainGroup({ referer }: Pick<Click, "referer">): { refererGroup: string; channel: string } {
  return services[referer] ?? { refererGroup: referer, channel: "referral" };
}

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("There is nothing to pick from.");
  return value;
}

/** Texts that cause errors where a value is inserted into SQL, or where a text loses characters. */
export const trickyTexts = [
  "",
  "plain",
  "it's",
  'a "quoted" one',
  "\\backslash\\",
  "'; DROP TABLE clicks; --",
  "' OR '1'='1",
  "$1",
  "?",
  "100%_",
  "Ünïcödé",
  "👩‍👩‍👧 🏳️‍🌈",
  "\uffee before \u{1f600}",
  "line\nbreak\ttab",
  " spaces ",
  "NULL",
];

/** A click with values from small sets, so that clicks share values; about one in four belongs to a bot. */
export function randomClick(random: Random, time: { from: number; to: number }, fixed: Partial<Click> = {}): Click {
  const tricky = () => pick(random, trickyTexts);
  return {
    id: randomId(random),
    time: time.from + Math.floor(random() * (time.to - time.from)),
    workspaceId: pick(random, [1, 2]),
    linkId: pick(random, ["link_a", "link_b", "link_c"]),
    domainId: pick(random, ["dom_a", "dom_b"]),
    domain: pick(random, ["go.example.com", "xn--mnchen-3ya.example"]),
    key: pick(random, ["_root", "spring", "frühling"]),
    url: `https://example.com/${encodeURIComponent(tricky())}`,
    country: pick(random, ["", "DE", "US", "JP"]),
    region: pick(random, ["", "US-CA", "DE-BE"]),
    city: tricky(),
    continent: pick(random, ["", "EU", "NA", "AS"]),
    device: pick(random, ["", "Desktop", "Mobile", "Tablet"]),
    browser: pick(random, ["", "Chrome", "Safari", "Firefox"]),
    os: pick(random, ["", "iOS", "macOS", "Windows"]),
    referer: pick(random, randomReferers),
    refererUrl: pick(random, ["", "https://example.org/a,b"]),
    language: pick(random, ["", "en", "de"]),
    trigger: pick(random, ["link", "qr"]),
    bot: random() < 0.25 ? pick(random, botKinds) : "",
    visitor: random() < 0.1 ? "" : randomHex(random, 16),
    utm_source: tricky(),
    utm_medium: tricky(),
    utm_campaign: tricky(),
    utm_term: tricky(),
    utm_content: tricky(),
    ...fixed,
  };
}

export function randomClicks(
  random: Random,
  count: number,
  time: { from: number; to: number },
  fixed: Partial<Click> = {},
): Click[] {
  return Array.from({ length: count }, () => randomClick(random, time, fixed));
}

/** The rows expected from a store, computed in the simplest way. */
export function expectedClickRows(clicks: readonly Click[], query: ClickQuery): ClickRow[] {
  const { grouping, metric = "clicks" } = query;
  const matching = clicksOf(clicks, query);
  switch (grouping.kind) {
    case "count":
      return [{ value: 0, ...measured(matching, metric) }];
    case "intervals":
      return grouped(matching, ({ time }) => [[Math.floor(time / grouping.intervalMs)]], metric).sort(byNumber);
    case "buckets": {
      const bucket = ({ time }: Click) =>
        Math.max(
          0,
          grouping.starts.findLastIndex((start) => start <= time),
        );
      return grouped(matching, (click) => [[bucket(click)]], metric).sort(byNumber);
    }
    case "weekHours": {
      const { offsets } = grouping;
      const offsetAt = (time: number) => (offsets.findLast(({ from }) => from <= time) ?? offsets[0])?.offsetMs ?? 0;
      const hour = ({ time }: Click) => {
        const wall = new Date(time + offsetAt(time));
        return ((wall.getUTCDay() + 6) % 7) * 24 + wall.getUTCHours();
      };
      return grouped(matching, (click) => [[hour(click)]], metric).sort(byNumber);
    }
    case "dimension": {
      const by: Dimension[] = [grouping.dimension, ...(grouping.within ?? [])];
      return grouped(matching, (click) => [by.map((dimension) => dimensionOf(click, dimension))], metric)
        .sort(largestFirst)
        .slice(0, grouping.rowsMax);
    }
    case "labels": {
      const labels = Map.groupBy(grouping.labels, ({ value }) => value);
      const labelsOf = (click: Click) => labels.get(dimensionOf(click, grouping.dimension)) ?? [];
      return grouped(matching, (click) => labelsOf(click).map(({ label }) => [label]), metric)
        .sort(largestFirst)
        .slice(0, grouping.rowsMax);
    }
  }
}

/** The expected clicks of a page, computed in the simplest way. */
export function pageOf(clicks: readonly Click[], page: ClickPage): Click[] {
  const sign = page.order === "newestFirst" ? -1 : 1;
  return clicksOf(clicks, page)
    .sort((one, other) => sign * (one.time - other.time || compareBytes(one.id, other.id)))
    .slice(page.offset, page.offset + page.limit);
}

function clicksOf(clicks: readonly Click[], { workspaceId, from, to, bots, filters }: ClickSelection): Click[] {
  const passes = filters.map(filterTest);
  return clicks.filter((click) => {
    if (click.workspaceId !== workspaceId || click.time < from || click.time >= to) return false;
    if (bots !== "include" && (click.bot !== "") !== (bots === "only")) return false;
    return passes.every((passesOne) => passesOne(click));
  });
}

function filterTest({ dimension, values, isExcluded }: Filter): (click: Click) => boolean {
  // A set, because a filter may name a hundred thousand values.
  const named = new Set(values);
  return (click) => named.has(dimensionOf(click, dimension)) !== isExcluded;
}

function measured(clicks: readonly Click[], metric: Metric): Pick<ClickRow, "clicks" | "visitors"> {
  if (metric === "clicks") return { clicks: clicks.length };
  const visitors = new Set(clicks.map(({ visitor }) => visitor).filter((visitor) => visitor !== ""));
  return { clicks: clicks.length, visitors: visitors.size };
}

/** Groups clicks. The key of a group is its value and the values that contain it, such as a city and its country. */
function grouped(clicks: readonly Click[], groupsOf: (click: Click) => (string | number)[][], metric: Metric) {
  const groups = new Map<string, Click[]>();
  for (const click of clicks) {
    for (const group of groupsOf(click)) {
      const name = JSON.stringify(group);
      const members = groups.get(name);
      if (members === undefined) groups.set(name, [click]);
      else members.push(click);
    }
  }
  return Array.from(groups, ([name, members]): ClickRow => {
    const [value = "", ...within] = JSON.parse(name) as (string | number)[];
    return { value, ...(within.length === 0 ? {} : { within: within.map(String) }), ...measured(members, metric) };
  });
}

function byNumber(one: ClickRow, other: ClickRow): number {
  return Number(one.value) - Number(other.value);
}

function largestFirst(one: ClickRow, other: ClickRow): number {
  const byMetric = (other.visitors ?? 0) - (one.visitors ?? 0) || other.clicks - one.clicks;
  if (byMetric !== 0) return byMetric;
  const values = (row: ClickRow) => [String(row.value), ...(row.within ?? [])];
  const others = values(other);
  return values(one).reduce((order, value, index) => order || compareBytes(value, others[index] ?? ""), 0);
}

/** Stores compare texts by their UTF-8 bytes. Beyond U+FFFF that differs from JavaScript's order. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The form of a UUID of version 7. */
function randomId(random: Random): string {
  const hex = randomHex(random, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function randomHex(random: Random, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
}
