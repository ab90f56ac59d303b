import type { Click } from "../../../src/clicks/click.ts";
import { plainGroup } from "../clicks.ts";
import { lastAtOrBefore } from "./clock.ts";
import { clockOf, type PlainRange, plainRange, plainRangeBefore } from "./plain-range.ts";
import { type Ask, botsOf, plainBase } from "./questions.ts";
import type { PlainLink, PlainWorkspace } from "./world.ts";

/** The number of clicks, and of their visitors if the question is about visitors. */
type Numbers = { clicks: number; visitors?: number };
type Fields = Record<string, unknown>;
/** A row: the fields of its group, its numbers, and in a comparison those of the period before. */
export type Row = Fields & Numbers & { previous?: Fields & Numbers };

/** The answer expected from the service: a row for count, rows for other groupings, or a refusal. */
export type Answer = Row | Row[] | "refused";

/** An expected answer, the number of clicks it is about, and the number of clicks without a row in it. */
export type PlainAnswer = { answer: Answer; clicks: number; leftOut: number };

/** The expected answer to a question, computed click by click. */
export function plainAnswer(ask: Ask, now: number): PlainAnswer {
  const range = plainRange(ask, now);
  if (range === undefined) return { answer: "refused", clicks: 0, leftOut: 0 };
  const before = ask.isCompared ? plainRangeBefore(ask, range, now) : undefined;
  const clicks = clicksOf(ask, range);
  const clicksBefore = before === undefined ? undefined : clicksOf(ask, before);
  if (ask.groupBy === "count") {
    return {
      answer: beside({}, numbersOf(ask, clicks), previousOf(ask, clicksBefore)),
      clicks: clicks.length,
      leftOut: 0,
    };
  }
  if (ask.groupBy === "timeseries")
    return { answer: series(ask, range, clicks, before, clicksBefore), clicks: clicks.length, leftOut: 0 };
  if (ask.groupBy === "weekday_hours")
    return { answer: week(ask, clicks, clicksBefore), clicks: clicks.length, leftOut: 0 };
  const { rows, leftOut } = grouped(ask, clicks, clicksBefore);
  return { answer: rows, clicks: clicks.length, leftOut };
}

function clicksOf(ask: Ask, { from, to }: PlainRange): Click[] {
  if (ask.event === "leads") return [];
  const bots = botsOf(ask);
  return ask.workspace.clicks.filter(
    (click) =>
      click.time >= from &&
      click.time < to &&
      (bots === "include" || (click.bot === "") === (bots === "exclude")) &&
      ask.narrowings.every((narrowing) => narrowing.keeps(click)),
  );
}

function numbersOf({ metric }: Ask, clicks: readonly Click[]): Numbers {
  if (metric === "clicks") return { clicks: clicks.length };
  const visitors = new Set(clicks.map(({ visitor }) => visitor));
  visitors.delete("");
  return { clicks: clicks.length, visitors: visitors.size };
}

function previousOf(
  ask: Ask,
  clicks: readonly Click[] | undefined,
  fields: Fields = {},
): (Fields & Numbers) | undefined {
  return clicks === undefined ? undefined : { ...fields, ...numbersOf(ask, clicks) };
}

function beside(fields: Fields, numbers: Numbers, previous: (Fields & Numbers) | undefined): Row {
  return { ...fields, ...numbers, ...(previous === undefined ? {} : { previous }) };
}

function series(
  ask: Ask,
  range: PlainRange,
  clicks: Click[],
  before: PlainRange | undefined,
  clicksBefore: Click[] | undefined,
): Row[] {
  const now = inBuckets(range, clicks);
  const earlier = before === undefined ? [] : inBuckets(before, clicksBefore ?? []);
  return range.starts.map((start, index) => {
    const start2 = before?.starts[index];
    const fields = start2 === undefined ? {} : { start: new Date(start2).toISOString() };
    const previous = start2 === undefined ? undefined : previousOf(ask, earlier[index], fields);
    return beside({ start: new Date(start).toISOString() }, numbersOf(ask, now[index] ?? []), previous);
  });
}

function inBuckets({ starts }: PlainRange, clicks: Click[]): Click[][] {
  const buckets: Click[][] = starts.map(() => []);
  for (const click of clicks) buckets[Math.max(0, lastAtOrBefore(starts, click.time))]?.push(click);
  return buckets;
}

function week(ask: Ask, clicks: Click[], before: Click[] | undefined): Row[] {
  const now = byWeekdayHour(ask, clicks);
  const earlier = before && byWeekdayHour(ask, before);
  return [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) =>
    Array.from({ length: 24 }, (_, hour) => {
      const name = `${weekday} ${hour}`;
      const previous = earlier && previousOf(ask, earlier.get(name) ?? []);
      return beside({ weekday, hour }, numbersOf(ask, now.get(name) ?? []), previous);
    }),
  );
}

function byWeekdayHour({ zone }: Ask, clicks: Click[]): Map<string, Click[]> {
  const clock = clockOf(zone);
  return Map.groupBy(clicks, ({ time }) => {
    const wall = new Date(clock.wallAt(time));
    return `${wall.getUTCDay() === 0 ? 7 : wall.getUTCDay()} ${wall.getUTCHours()}`;
  });
}

/** The fields of a group, and the texts by which rows with equal numbers are ordered. */
type Group = { order: string[]; fields: Fields };

/** The groups of a click: none for an unknown value or a deleted object, several for the tags of its link. */
type GroupsOf = (click: Click) => Group[];

function grouped(ask: Ask, clicks: Click[], before: Click[] | undefined): { rows: Row[]; leftOut: number } {
  const groupsOf = groupsBy(ask, [...clicks, ...(before ?? [])]);
  const groups = new Map<string, { group: Group; clicks: Click[]; before: Click[] }>();
  let leftOut = 0;
  for (const click of clicks) {
    const own = groupsOf(click);
    if (own.length === 0) leftOut += 1;
    for (const group of own) {
      const name = JSON.stringify(group.order);
      const known = groups.get(name);
      if (known === undefined) groups.set(name, { group, clicks: [click], before: [] });
      else known.clicks.push(click);
    }
  }
  for (const click of before ?? []) {
    for (const { order } of groupsOf(click)) groups.get(JSON.stringify(order))?.before.push(click);
  }
  const rows = [...groups.values()].map(({ group, ...own }) => ({
    order: group.order,
    row: beside(group.fields, numbersOf(ask, own.clicks), before && previousOf(ask, own.before)),
  }));
  rows.sort(
    (one, other) =>
      (other.row.visitors ?? 0) - (one.row.visitors ?? 0) ||
      other.row.clicks - one.row.clicks ||
      byTexts(one.order, other.order),
  );
  return { rows: rows.map(({ row }) => row), leftOut };
}

function byTexts(one: string[], other: string[]): number {
  for (const [index, text] of one.entries()) {
    const order = Buffer.compare(Buffer.from(text), Buffer.from(other[index] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

/** TABLE of the groupings by one text of the click, with its name in a row. */
const texts: Partial<Record<Ask["groupBy"], [name: string, of: (click: Click) => string]>> = {
  channels: ["channel", (click) => plainGroup(click).channel],
  continents: ["continent", (click) => click.continent],
  devices: ["device", (click) => click.device],
  browsers: ["browser", (click) => click.browser],
  os: ["os", (click) => click.os],
  languages: ["language", (click) => click.language],
  trigger: ["trigger", (click) => click.trigger],
  triggers: ["trigger", (click) => click.trigger],
  bots: ["bot", (click) => click.bot],
  top_urls: ["url", (click) => click.url],
  top_base_urls: ["url", (click) => plainBase(click.url)],
  utm_sources: ["utm_source", (click) => click.utm_source],
  utm_mediums: ["utm_medium", (click) => click.utm_medium],
  utm_campaigns: ["utm_campaign", (click) => click.utm_campaign],
  utm_terms: ["utm_term", (click) => click.utm_term],
  utm_contents: ["utm_content", (click) => click.utm_content],
};

function groupsBy({ groupBy, workspace }: Ask, all: readonly Click[]): GroupsOf {
  const links = new Map(workspace.links.map((link) => [link.id, link]));
  const named = texts[groupBy];
  if (named !== undefined) {
    const [name, of] = named;
    return (click) => (of(click) === "" ? [] : [{ order: [of(click)], fields: { [name]: of(click) } }]);
  }
  switch (groupBy) {
    case "countries":
      return ({ country }) =>
        country === "" ? [] : [{ order: [country], fields: { country, region: "*", city: "*" } }];
    case "regions":
      return ({ country, region }) =>
        region === ""
          ? []
          : [{ order: [region, country], fields: { country: country || "Unknown", region, city: "*" } }];
    case "cities":
      return ({ country, region, city }) => {
        const fields = { country: country || "Unknown", region: region || "Unknown", city };
        return city === "" ? [] : [{ order: [city, region, country], fields }];
      };
    case "referers":
      return ({ referer }) => [{ order: [referer], fields: { referer: referer || "(direct)" } }];
    case "referer_groups":
      return (click) => {
        const { refererGroup } = plainGroup(click);
        return [{ order: [refererGroup], fields: { refererGroup: refererGroup || "(direct)" } }];
      };
    case "referer_urls":
      return ({ refererUrl }) => [{ order: [refererUrl], fields: { refererUrl: refererUrl || "(direct)" } }];
    case "top_links": {
      const shown = new Map(workspace.links.map((link) => [link.id, shownLink(link, workspace)]));
      return ({ linkId }) => [{ order: [linkId], fields: shown.get(linkId) ?? {} }];
    }
    case "top_domains":
      return domainGroups(workspace, all);
    case "top_folders":
      return ({ linkId }) => {
        const folder = workspace.folders.find(({ id }) => id === liveLink(links, linkId)?.folderId);
        return folder === undefined ? [] : [{ order: [folder.id], fields: { folder } }];
      };
    case "top_link_tags":
      return ({ linkId }) =>
        workspace.tags
          .filter(({ id }) => liveLink(links, linkId)?.tagIds.includes(id))
          .map((tag) => ({ order: [tag.id], fields: { tag } }));
    default:
      return () => [];
  }
}

function liveLink(links: Map<string, PlainLink>, id: string): PlainLink | undefined {
  const link = links.get(id);
  return link?.isDeleted === true ? undefined : link;
}

/** The fields of a link in top_links: its current ones, or those of its last click once it is deleted. */
function shownLink({ id, isDeleted, ...link }: PlainLink, { clicks, slugs }: PlainWorkspace): Fields {
  if (!isDeleted) return { id, domain: slugs.get(link.domainId), key: link.key, url: link.url, isDeleted };
  const last = clicks
    .filter(({ linkId }) => linkId === id)
    .reduce((one, other) => (other.time > one.time ? other : one));
  return { id, domain: slugs.get(last.domainId) ?? last.domain, key: last.key, url: last.url, isDeleted };
}

/** Domains have their current names. Deleted ones have the name that most of their clicks have. */
function domainGroups({ slugs }: PlainWorkspace, all: readonly Click[]): GroupsOf {
  const names = new Map(slugs);
  for (const id of new Set(all.map(({ domainId }) => domainId))) {
    if (names.has(id)) continue;
    const counts = new Map<string, number>();
    for (const click of all) if (click.domainId === id) counts.set(click.domain, (counts.get(click.domain) ?? 0) + 1);
    const [commonest] = [...counts].sort(([one, many], [other, few]) => few - many || byTexts([one], [other]));
    names.set(id, commonest?.[0] ?? "");
  }
  return ({ domainId }) => {
    const domain = names.get(domainId) ?? "";
    return [{ order: [domain], fields: { domain } }];
  };
}
