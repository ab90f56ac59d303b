import type { Schemas } from "../../../sdk/client.ts";
import { canFilter, type FilterName } from "./filters.ts";
import type { AnalyticsSearch } from "./search.ts";

/** A row of a report, as the API returns it. */
export type Row = Schemas["AnalyticsRow"];

/** A grouping of clicks. */
export type Grouping = keyof typeof groupings;

/** The filter of a grouping, and the value of its rows. */
type Plan = { filter: FilterName; value(row: Row): string | null | undefined };

/** TABLE of the groupings with their filters. */
export const groupings = {
  countries: { filter: "country", value: (row) => row.country },
  regions: { filter: "region", value: (row) => row.region },
  cities: { filter: "city", value: (row) => row.city },
  continents: { filter: "continent", value: (row) => row.continent },
  channels: { filter: "channel", value: (row) => row.channel },
  referer_groups: { filter: "refererGroup", value: (row) => row.refererGroup },
  referers: { filter: "referer", value: (row) => row.referer },
  referer_urls: { filter: "refererUrl", value: (row) => row.refererUrl },
  browsers: { filter: "browser", value: (row) => row.browser },
  os: { filter: "os", value: (row) => row.os },
  devices: { filter: "device", value: (row) => row.device },
  top_links: { filter: "linkId", value: (row) => row.id },
  top_urls: { filter: "url", value: (row) => row.url },
  top_base_urls: { filter: "baseUrl", value: (row) => row.url },
  top_domains: { filter: "domain", value: (row) => row.domain },
  top_folders: { filter: "folderId", value: (row) => row.folderId },
  top_link_tags: { filter: "tagId", value: (row) => row.tagId },
  triggers: { filter: "trigger", value: (row) => row.trigger },
  bots: { filter: "bot", value: (row) => row.bot },
  languages: { filter: "language", value: (row) => row.language },
  utm_sources: { filter: "utm_source", value: (row) => row.utm_source },
  utm_mediums: { filter: "utm_medium", value: (row) => row.utm_medium },
  utm_campaigns: { filter: "utm_campaign", value: (row) => row.utm_campaign },
  utm_terms: { filter: "utm_term", value: (row) => row.utm_term },
  utm_contents: { filter: "utm_content", value: (row) => row.utm_content },
} as const satisfies Record<string, Plan>;

/** TABLE of the cards with the groupings of their tabs. */
export const cards = {
  targets: ["top_links", "top_urls", "top_base_urls", "top_domains", "top_folders", "top_link_tags"],
  sources: ["referer_groups", "channels", "referers", "referer_urls"],
  places: ["countries", "regions", "cities", "continents"],
  agents: ["browsers", "os", "devices"],
  utm: ["utm_sources", "utm_mediums", "utm_campaigns", "utm_terms", "utm_contents"],
  kinds: ["languages", "triggers", "bots"],
} as const satisfies Record<string, readonly Grouping[]>;
export type CardName = keyof typeof cards;

/** The groupings of the card of targets that can have several rows when the report is about one link. */
export const targetsOfOneLink = ["top_urls", "top_base_urls"] as const satisfies readonly Grouping[];

/** Groupings that leave out unknown values and can be filtered by them. Kinds of bots leave out people instead. */
const withoutUnknown: readonly Grouping[] = [
  ...(["countries", "regions", "cities", "continents", "browsers", "os", "devices", "languages"] as const),
  ...cards.utm,
];

/** True when the rows of a grouping leave out unknown values. */
export function leavesOutUnknown(grouping: Grouping): boolean {
  return withoutUnknown.includes(grouping);
}

/** True for the name of a grouping that cards can show. */
export function isGrouping(name: string): name is Grouping {
  return Object.hasOwn(groupings, name);
}

/** The grouping whose rows are the values of a filter. */
export function groupingFor(filter: FilterName): Grouping {
  const found = Object.keys(groupings).find((name) => isGrouping(name) && groupings[name].filter === filter);
  if (found === undefined || !isGrouping(found)) throw new Error(`Nothing is grouped by ${filter}.`);
  return found;
}

/** True for kinds of bots beside totals without bots. Like the API, a report about chosen kinds counts bots only. */
export function isOutsideTotals(filter: FilterName, { bots, bot = "-" }: AnalyticsSearch): boolean {
  return filter === "bot" && bots === undefined && bot.startsWith("-");
}

/** The value of a row; "" if it has none. */
export function rowValue(grouping: Grouping, row: Row): string {
  return groupings[grouping].value(row) ?? "";
}

/**
 * A key that is unique among the rows of a grouping: cities of one name exist in several countries, and shared links
 * have no ids.
 */
export function rowKey(grouping: Grouping, row: Row): string {
  return [row.country, rowValue(grouping, row), row.shortLink].join(" ");
}

/** True when clicks can be filtered by the row's value. */
export function canChoose(grouping: Grouping, row: Row): boolean {
  return canFilter(groupings[grouping].filter, rowValue(grouping, row));
}
