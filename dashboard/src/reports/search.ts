import { type FilterName, type Filters, filterNames, readFilters } from "./filters.ts";
import { type CustomPeriod, periodOf, periodText, readPeriod } from "./period.ts";

/** The analytics page, as its URL describes it. Defaults are left out. */
export type AnalyticsSearch = Filters & {
  interval?: Interval;
  /** A custom period of days, or of times such as `2026-11-01T09:30`, in the page's time zone; both or none. */
  start?: string;
  end?: string;
  /** A part of the period, such as `2026-11-01..2026-11-03`, which is shown until the zoom is reset. */
  zoom?: string;
  /** The unit of the chart; by default the usual one of the period. */
  unit?: Unit;
  /** An IANA time zone; the browser's by default. */
  timezone?: string;
  metric?: "visitors";
  bots?: "include" | "only";
  compare?: "none" | "year" | "custom";
  /** The compared period, for `custom`. */
  compareStart?: string;
  compareEnd?: string;
  /** Open tabs other than the first of their card, by the names of their groupings, comma-separated. */
  tabs?: string;
  /** Charts that are shown as tables, comma-separated. */
  tables?: string;
  live?: true;
};

/** The named periods. */
export const intervals = [
  ...(["today", "yesterday", "wtd", "last_week", "mtd", "last_month", "qtd", "last_quarter"] as const),
  ...(["24h", "7d", "30d", "90d", "1y", "ytd", "all"] as const),
] as const;
export type Interval = (typeof intervals)[number];
export const intervalDefault = "30d" satisfies Interval;

/** The units of the chart, from the shortest. */
export const units = ["hour", "day", "week", "month"] as const;
/** The distance between the points of a series. */
export type Unit = (typeof units)[number];

/** A chart that can be shown as a table. */
export type Drawing = "series" | "map" | "week";

/** A change of the URL; undefined removes a field. */
export type SearchChange = { [Name in keyof AnalyticsSearch]?: AnalyticsSearch[Name] | undefined };

/** Parses the URL; invalid values are left out. */
export function readSearch(raw: Record<string, unknown>): AnalyticsSearch {
  const text = (name: string) => textOf(raw[name]);
  const filters = Object.fromEntries(filterNames.map((name) => [name, text(name)])) as {
    [Name in FilterName]?: string;
  };
  const zoom = readPeriod(text("zoom"));
  return cleaned({
    interval: intervals.find((interval) => interval === raw["interval"] && interval !== intervalDefault),
    ...periodOf(text("start"), text("end")),
    zoom: zoom && periodText(zoom),
    unit: units.find((unit) => unit === raw["unit"]),
    timezone: zoneOf(text("timezone")),
    metric: raw["metric"] === "visitors" ? "visitors" : undefined,
    bots: raw["bots"] === "include" || raw["bots"] === "only" ? raw["bots"] : undefined,
    ...comparisonOf(raw["compare"], periodOf(text("compareStart"), text("compareEnd"))),
    tabs: text("tabs"),
    tables: text("tables"),
    live: raw["live"] === true ? true : undefined,
    ...filters,
  });
}

/**
 * The option of useSearch with which a page ignores what it does not know: the router adds other parameters to the result,
 * such as those that mail programs append to URLs, and values that readSearch leaves out. The service would refuse them.
 */
export const knownSearch = { select: readSearch, structuralSharing: true } as const;

function comparisonOf(compare: unknown, period: CustomPeriod | undefined): SearchChange {
  if (compare === "none" || compare === "year") return { compare };
  if (compare !== "custom" || period === undefined) return {};
  return { compare, compareStart: period.start, compareEnd: period.end };
}

/** The change to another period, which ends a zoom and has its own units. */
export function toPeriod(change: Pick<SearchChange, "interval" | "start" | "end">): SearchChange {
  return { interval: undefined, start: undefined, end: undefined, zoom: undefined, unit: undefined, ...change };
}

/** The change to a part of the current period; undefined returns to the whole period. */
export function toZoom(zoom: CustomPeriod | undefined): SearchChange {
  return { zoom: zoom && periodText(zoom), unit: undefined };
}

/** The period that is shown instead of a named one. */
export function customPeriodOf({ zoom, start, end }: AnalyticsSearch): CustomPeriod | undefined {
  return readPeriod(zoom) ?? periodOf(start, end);
}

/** The search after a change. */
export function changed(search: AnalyticsSearch, change: SearchChange): AnalyticsSearch {
  return cleaned({ ...search, ...change });
}

/** The change that removes all filters. */
export function withoutFilters(): SearchChange {
  return Object.fromEntries(filterNames.map((name) => [name, undefined]));
}

/** The id of the link when the report is filtered by exactly one. */
export function onlyLinkIn({ linkId }: Pick<AnalyticsSearch, "linkId">): string | undefined {
  const [filter] = linkId === undefined ? [] : readFilters({ linkId });
  return filter?.isExcluded === false && filter.values.length === 1 ? filter.values[0] : undefined;
}

/** The open tab of a card. */
export function selectedTab<Name extends string>(
  { tabs = "" }: Pick<AnalyticsSearch, "tabs">,
  names: readonly Name[],
): Name {
  const open = tabs.split(",");
  const [first] = names;
  if (first === undefined) throw new Error("A card has no tab.");
  return names.find((name) => open.includes(name)) ?? first;
}

/** The change that opens a tab of a card. */
export function selectTab(search: AnalyticsSearch, names: readonly string[], name: string): SearchChange {
  const others = listOf(search.tabs).filter((each) => !names.includes(each));
  return { tabs: textOf([...others, ...(name === names[0] ? [] : [name])].join(",")) };
}

/** True when a chart is shown as a table. */
export function isTable(search: AnalyticsSearch, drawing: Drawing): boolean {
  return listOf(search.tables).includes(drawing);
}

/** The change that switches a chart to a table, or back. */
export function toggleTable(search: AnalyticsSearch, drawing: Drawing): SearchChange {
  const tables = listOf(search.tables);
  const others = tables.filter((each) => each !== drawing);
  return { tables: textOf((others.length < tables.length ? others : [...tables, drawing]).join(",")) };
}

function listOf(text = ""): string[] {
  return text.split(",").filter((each) => each !== "");
}

/** The router parses `utm_term=2026` as a number. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function zoneOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function cleaned(search: SearchChange): AnalyticsSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
