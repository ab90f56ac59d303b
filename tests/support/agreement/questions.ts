import { type AnalyticsGrouping, analyticsGroupings } from "../../../src/analytics/groupings.ts";
import { type Interval, intervals } from "../../../src/analytics/interval.ts";
import type { AnalyticsInput } from "../../../src/analytics/report-analytics.ts";
import type { BucketUnit } from "../../../src/analytics/time-zone.ts";
import { dayMs } from "../../../src/base/time.ts";
import { botKinds, type Click } from "../../../src/clicks/click.ts";
import { pick, plainGroup, type Random } from "../clicks.ts";
import type { PlainLink, PlainWorkspace } from "./world.ts";

/** A border as written: a date, or a date-time in the question's time zone or with an offset. */
export type Border = {
  /** The date at midnight UTC. */
  date: number;
  clock: { hour: number; minute: number; seconds: string | undefined; offset: number | undefined } | undefined;
};

/** A filter's parameters, and a plain rule for the clicks that it keeps. */
type Narrowing = { parameters: Record<string, string | boolean>; keeps(click: Click): boolean };

/** The bot choice of a question. A question that names kinds of bots is about bots only. */
export function botsOf({ groupBy, bots, narrowings }: Pick<Ask, "groupBy" | "bots" | "narrowings">): Ask["bots"] {
  const namesKinds = narrowings.some(({ parameters: { bot } }) => typeof bot === "string" && !bot.startsWith("-"));
  return groupBy === "bots" || namesKinds ? "only" : bots;
}

/** A question in parts, so that the plain computation does not parse the service's parameters. */
export type Ask = {
  workspace: PlainWorkspace;
  groupBy: AnalyticsGrouping;
  event: "clicks" | "leads" | "composite";
  metric: "clicks" | "visitors";
  isCompared: boolean;
  unit: BucketUnit | undefined;
  bots: "exclude" | "include" | "only";
  interval: Interval;
  start: Border | undefined;
  end: Border | undefined;
  zone: string;
  narrowings: Narrowing[];
};

/** TABLE of zones: offsets of whole, half and quarter hours, and daylight saving of an hour and of half an hour. */
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Africa/Cairo",
  "Pacific/Chatham",
];

const narrowingsMax = 3;

/** A random question about one of the workspaces. */
export function randomAsk(random: Random, workspaces: readonly PlainWorkspace[], now: number): Ask {
  const workspace = pick(random, workspaces);
  const isCustom = random() < 0.5;
  const [start, end] = isCustom ? randomBorders(random, workspace, now) : [undefined, undefined];
  const count = Math.floor(random() * (narrowingsMax + 1));
  const isCompared = random() < 0.25;
  return {
    ...{ workspace, start, end },
    groupBy: pick(random, analyticsGroupings),
    event: random() < 0.94 ? "clicks" : pick(random, ["leads", "composite"]),
    metric: random() < 0.6 ? "clicks" : "visitors",
    isCompared,
    // Long periods would have too many hours or days.
    unit: isCompared || random() < 0.6 ? undefined : pick(random, ["week", "month"]),
    bots: pick(random, ["exclude", "exclude", "include", "only"]),
    interval: pick(random, intervals),
    zone: pick(random, zones),
    narrowings: oneOfEach(Array.from({ length: count }, () => randomNarrowing(random, workspace))),
  };
}

/** The question as the parameters of a call. */
export function written({ start, end, ...ask }: Ask): AnalyticsInput {
  const { groupBy, event, metric, bots, interval, zone, unit } = ask;
  return {
    ...{ groupBy, event, metric, bots, interval, timezone: zone, unit },
    ...(ask.isCompared ? { compare: "previous" } : {}),
    ...(start === undefined ? {} : { start: writtenBorder(start) }),
    ...(end === undefined ? {} : { end: writtenBorder(end) }),
    ...Object.assign({}, ...ask.narrowings.map(({ parameters }) => parameters)),
  };
}

/** A call may contain a parameter once, in the singular or in the plural. */
function oneOfEach(narrowings: Narrowing[]): Narrowing[] {
  const names = ({ parameters }: Narrowing) => Object.keys(parameters).map((name) => name.replace(/s$/, ""));
  return narrowings.filter((narrowing, index) =>
    narrowings.slice(0, index).every((earlier) => !names(earlier).some((name) => names(narrowing).includes(name))),
  );
}

function randomBorders(
  random: Random,
  { clicks }: PlainWorkspace,
  now: number,
): [Border | undefined, Border | undefined] {
  if (random() < 0.35) {
    // At the exact minutes of clicks, which the borders then include or exclude.
    const times = [pick(random, clicks).time, pick(random, clicks).time].sort((one, other) => one - other);
    const [first, last] = times.map((time) => borderAt(random, time));
    return random() < 0.8 ? [first, last] : [last, first];
  }
  const today = now - (now % dayMs);
  const length = pick(random, [0, 1, 2, 3, 20, 100, 179, 180, 181, 400]);
  const end = today - Math.floor(random() * 390) * dayMs;
  const start = { date: end - length * dayMs, clock: randomClock(random, length === 0 ? [0, 11] : [0, 23]) };
  const chance = random();
  if (chance < 0.12) return [start, undefined];
  if (chance < 0.24) return [undefined, { date: end + dayMs, clock: randomClock(random, [0, 23]) }];
  return [start, { date: end, clock: randomClock(random, length === 0 ? [13, 23] : [0, 23]) }];
}

function borderAt(random: Random, time: number): Border {
  const at = new Date(time);
  const seconds = random() < 0.5 ? undefined : pick(random, ["00", "07"]);
  return {
    date: time - (time % dayMs),
    clock: { hour: at.getUTCHours(), minute: at.getUTCMinutes(), seconds, offset: 0 },
  };
}

function randomClock(random: Random, [from, to]: readonly [number, number]): Border["clock"] {
  if (random() < 0.4) return undefined;
  return {
    hour: from + Math.floor(random() * (to - from + 1)),
    minute: pick(random, [0, 15, 30, 59, Math.floor(random() * 60)]),
    seconds: random() < 0.4 ? undefined : pick(random, ["00", "59", "30.250"]),
    // Less than the time between the two borders of one day.
    offset: random() < 0.5 ? undefined : pick(random, [0, 30, -30]),
  };
}

function writtenBorder({ date, clock }: Border): string {
  const day = new Date(date).toISOString().slice(0, 10);
  if (clock === undefined) return day;
  const two = (value: number) => String(value).padStart(2, "0");
  const { hour, minute, seconds, offset } = clock;
  const zone = offset === undefined ? "" : offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}00:${two(Math.abs(offset))}`;
  return `${day}T${two(hour)}:${two(minute)}${seconds === undefined ? "" : `:${seconds}`}${zone}`;
}

/** TABLE of filters, and the ways to write a value. */
const filters: Record<string, { of(click: Click): string; write(random: Random, value: string): string }> = {
  country: { of: (click) => click.country, write: anyCase },
  region: { of: (click) => click.region, write: anyCase },
  city: { of: (click) => click.city, write: asIs },
  continent: { of: (click) => click.continent, write: anyCase },
  device: { of: (click) => click.device, write: lowerFirst },
  browser: { of: (click) => click.browser, write: lowerFirst },
  os: { of: (click) => click.os, write: anyOs },
  language: { of: (click) => click.language, write: anyCase },
  trigger: { of: (click) => click.trigger, write: anyCase },
  referer: { of: (click) => click.referer, write: anyCase },
  refererGroup: { of: (click) => plainGroup(click).refererGroup, write: anyCase },
  channel: { of: (click) => plainGroup(click).channel, write: anyCase },
  refererUrl: { of: (click) => click.refererUrl, write: asIs },
  url: { of: (click) => click.url, write: asIs },
  baseUrl: { of: (click) => plainBase(click.url), write: asIs },
  utm_source: { of: (click) => click.utm_source, write: asIs },
  utm_medium: { of: (click) => click.utm_medium, write: asIs },
  utm_campaign: { of: (click) => click.utm_campaign, write: asIs },
  utm_term: { of: (click) => click.utm_term, write: asIs },
  utm_content: { of: (click) => click.utm_content, write: asIs },
};

/** The URL up to the first ? or #. */
export function plainBase(url: string): string {
  const ends = [url.indexOf("?"), url.indexOf("#")].filter((index) => index >= 0);
  return ends.length === 0 ? url : url.slice(0, Math.min(...ends));
}

function randomNarrowing(random: Random, workspace: PlainWorkspace): Narrowing {
  return random() < 0.65 ? filterNarrowing(random, workspace) : scopeNarrowing(random, workspace);
}

function filterNarrowing(random: Random, workspace: PlainWorkspace): Narrowing {
  const [name, { of, write }] = pick(random, Object.entries(filters));
  const valuesMax = 3;
  const values = Array.from({ length: 1 + Math.floor(random() * valuesMax) }, () => of(pick(random, workspace.clicks)));
  // A value with a separator, or with a space at either end, cannot be written.
  const isAddress = name.toLowerCase().endsWith("url");
  const writable = values.filter((value) => (isAddress || !value.includes(",")) && value === value.trim());
  // A value that no click has; countries and channels must exist.
  const unused = name === "country" ? "AQ" : name === "channel" ? "email" : "Nowhere";
  if (random() < 0.1) writable.push(isAddress ? "https://nowhere.example/" : unused);
  if (writable.length === 0) return scopeNarrowing(random, workspace);
  const isExcluded = random() < 0.5;
  const texts = writable.map((value) => (value === "" ? unknownText(random, name) : write(random, value)));
  return {
    parameters: { [name]: `${isExcluded ? "-" : ""}${texts.join(isAddress ? "," : pick(random, [",", ", "]))}` },
    keeps: (click) => writable.includes(of(click)) !== isExcluded,
  };
}

function unknownText(random: Random, name: string): string {
  return name.startsWith("referer") ? pick(random, ["(direct)", "unknown"]) : pick(random, ["Unknown", "unknown"]);
}

function scopeNarrowing(random: Random, { links, slugs, folders, tags }: PlainWorkspace): Narrowing {
  const live = links.filter(({ isDeleted }) => !isDeleted);
  const named = live.filter(({ externalId }) => externalId !== undefined);
  const isExcluded = random() < 0.4;
  const sign = isExcluded ? "-" : "";
  const ofLinks = (matches: (link: PlainLink) => boolean) => {
    const ids = new Set(live.filter(matches).map(({ id }) => id));
    return ({ linkId }: Click) => ids.has(linkId) !== isExcluded;
  };
  const kinds: (() => Narrowing)[] = [
    () => {
      const chosen = [pick(random, named), pick(random, named)];
      const names = chosen.map(({ id, externalId }) => (random() < 0.5 ? id : `ext_${externalId}`));
      return { parameters: { linkId: sign + names.join(",") }, keeps: ofLinks((link) => chosen.includes(link)) };
    },
    () => {
      const [id, slug] = pick(random, [...slugs]);
      const keeps = ({ domainId }: Click) => (domainId === id) !== isExcluded;
      return { parameters: { domain: sign + pick(random, [slug, slug.toUpperCase()]) }, keeps };
    },
    () => {
      const { id, domainId, key } = pick(random, live);
      return { parameters: { domain: slugs.get(domainId) ?? "", key }, keeps: ({ linkId }) => linkId === id };
    },
    () => {
      const { id, externalId } = pick(random, named);
      return { parameters: { externalId: `ext_${externalId}` }, keeps: ({ linkId }) => linkId === id };
    },
    () => {
      const { id } = pick(random, folders);
      return { parameters: { folderId: sign + id }, keeps: ofLinks(({ folderId }) => folderId === id) };
    },
    () => {
      const ids = [pick(random, tags).id, pick(random, tags).id];
      const keeps = ofLinks(({ tagIds }) => tagIds.some((id) => ids.includes(id)));
      return { parameters: { [pick(random, ["tagId", "tagIds"])]: sign + ids.join(",") }, keeps };
    },
    () => {
      const tenant = pick(random, ["acme", "it's", "100%_", "nobody"]);
      return { parameters: { tenantId: sign + tenant }, keeps: ofLinks(({ tenantId }) => tenantId === tenant) };
    },
    () => {
      const root = random() < 0.5;
      return { parameters: { root }, keeps: ({ key }) => (key === "_root") === root };
    },
    () => ({ parameters: { qr: true }, keeps: ({ trigger }) => trigger === "qr" }),
    () => {
      const kind = pick(random, botKinds);
      return { parameters: { bot: sign + kind }, keeps: ({ bot }) => (bot === kind) !== isExcluded };
    },
  ];
  return pick(random, kinds)();
}

function asIs(_: Random, value: string): string {
  return value;
}

function anyCase(random: Random, value: string): string {
  return pick(random, [value, value.toUpperCase(), value.toLowerCase()]);
}

function lowerFirst(random: Random, value: string): string {
  return pick(random, [value, value.charAt(0).toLowerCase() + value.slice(1)]);
}

function anyOs(random: Random, value: string): string {
  return value === "iOS" || value === "macOS" ? anyCase(random, value) : lowerFirst(random, value);
}
