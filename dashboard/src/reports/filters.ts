/**
 * Filters of a report as the API writes them and as the address of the page holds them: `country=DE,AT`, and with a
 * leading hyphen those to leave out, `country=-DE,AT`.
 */

/** TABLE of what a report can be filtered by, in the order of the filter menu. */
export const filterNames = [
  "linkId",
  "domain",
  "folderId",
  "tagId",
  "country",
  "region",
  "city",
  "continent",
  "referer",
  "refererUrl",
  "browser",
  "os",
  "device",
  "language",
  "trigger",
  "bot",
  "url",
  "baseUrl",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const;
export type FilterName = (typeof filterNames)[number];

/** Filters whose values are ids of links, folders or tags; people see names instead. */
export const namedFilters = ["linkId", "folderId", "tagId"] as const satisfies readonly FilterName[];
export type NamedFilter = (typeof namedFilters)[number];

/** Filters as the API takes them. */
export type Filters = { [Name in FilterName]?: string };

/** One of them, read. */
export type Filter = { name: FilterName; values: string[]; isExcluded: boolean };

/** The most values of one filter; the API refuses more. */
const filterValuesMax = 100;

/** An address may hold commas itself: there only one before another address, or a label, separates. */
const addressSeparator = /,(?=\s*(?:[a-z][a-z0-9+.-]*:|\(direct\)|unknown(?:,|$)))/i;
const addresses: readonly FilterName[] = ["url", "baseUrl", "refererUrl"];

/** The filters that are set, in the order of the table. */
export function readFilters(filters: Filters): Filter[] {
  return filterNames.flatMap((name) => {
    const text = filters[name];
    return text === undefined ? [] : [readFilter(name, text)];
  });
}

function readFilter(name: FilterName, text: string): Filter {
  const isExcluded = text.startsWith("-");
  const values = (isExcluded ? text.slice(1) : text)
    .split(addresses.includes(name) ? addressSeparator : ",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  return { name, values, isExcluded };
}

/** The text of a filter; undefined for one that names no value. */
function writeFilter({ values, isExcluded }: Pick<Filter, "values" | "isExcluded">): string | undefined {
  if (values.length === 0) return undefined;
  return `${isExcluded ? "-" : ""}${values.join(",")}`;
}

/** What stands for a value that is not known. */
export const unknownValue = "Unknown";

/** Whether clicks whose value is not known are among those that a filter keeps. */
export function keepsUnknown(name: FilterName, text: string | undefined): boolean {
  if (text === undefined) return true;
  const { values, isExcluded } = readFilter(name, text);
  return values.some((value) => value.toLowerCase() === unknownValue.toLowerCase()) !== isExcluded;
}

/** Whether a value can be filtered by: one with a comma or a hyphen before it would be read as something else. */
export function canFilter(name: FilterName, value: string): boolean {
  const read = readFilter(name, value);
  return !read.isExcluded && read.values.length === 1 && read.values[0] === value;
}

/** The filter's text after a row was chosen: this value alone, or none if it was this value alone already. */
export function selected(name: FilterName, text: string | undefined, value: string): string | undefined {
  if (text === undefined) return value;
  const { values, isExcluded } = readFilter(name, text);
  if (isExcluded || !values.includes(value)) return value;
  return values.length === 1 ? undefined : writeFilter({ values: without(values, value), isExcluded });
}

/** The filter's text after a value was left out, beside those that are left out already. */
export function excluded(name: FilterName, text: string | undefined, value: string): string {
  if (text === undefined) return `-${value}`;
  const { values, isExcluded } = readFilter(name, text);
  const others = isExcluded ? without(values, value).slice(0, filterValuesMax - 1) : [];
  return `-${[...others, value].join(",")}`;
}

/** The filter's text after a value was ticked or unticked, among those that are kept or left out. */
export function toggled(name: FilterName, text: string | undefined, value: string): string | undefined {
  const { values, isExcluded } = readFilter(name, text ?? "");
  const isTicked = values.includes(value);
  if (!isTicked && values.length === filterValuesMax) return text;
  return writeFilter({ values: isTicked ? without(values, value) : [...values, value], isExcluded });
}

/** The same values left out instead of kept, or the other way round. */
export function inverted(text: string): string {
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}

function without(values: readonly string[], value: string): string[] {
  return values.filter((each) => each !== value);
}
