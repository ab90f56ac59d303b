/**
 * Filters of a report, as the API and the page's URL write them: `country=DE,AT`, or with a leading hyphen for excluded
 * values, `country=-DE,AT`.
 */

/** TABLE of the filters, in the order of the menu. */
export const filterNames = [
  "linkId",
  "domain",
  "folderId",
  "tagId",
  "country",
  "region",
  "city",
  "continent",
  "channel",
  "refererGroup",
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

/** A parsed filter. */
export type Filter = { name: FilterName; values: string[]; isExcluded: boolean };

/** The most values of a filter; the API refuses more. */
const filterValuesMax = 100;

/** URLs can contain commas: only a comma before another URL or a label separates values. */
const addressSeparator = /,(?=\s*(?:[a-z][a-z0-9+.-]*:|\(direct\)|unknown(?:,|$)))/i;
const addresses: readonly FilterName[] = ["url", "baseUrl", "refererUrl"];

/** The active filters, in the order of the table. */
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

/** The text of a filter; undefined without values. */
function writeFilter({ values, isExcluded }: Pick<Filter, "values" | "isExcluded">): string | undefined {
  if (values.length === 0) return undefined;
  return `${isExcluded ? "-" : ""}${values.join(",")}`;
}

/** The label of unknown values. */
export const unknownValue = "Unknown";

/** True when a filter keeps clicks with an unknown value. */
export function keepsUnknown(name: FilterName, text: string | undefined): boolean {
  if (text === undefined) return true;
  const { values, isExcluded } = readFilter(name, text);
  return values.some((value) => value.toLowerCase() === unknownValue.toLowerCase()) !== isExcluded;
}

/** True when clicks can be filtered by a value; one with a comma or a leading hyphen would be parsed differently. */
export function canFilter(name: FilterName, value: string): boolean {
  const read = readFilter(name, value);
  return !read.isExcluded && read.values.length === 1 && read.values[0] === value;
}

/** The filter after a row was selected: only this value, or no filter if it was the only value. */
export function selected(name: FilterName, text: string | undefined, value: string): string | undefined {
  if (text === undefined) return value;
  const { values, isExcluded } = readFilter(name, text);
  if (isExcluded || !values.includes(value)) return value;
  return values.length === 1 ? undefined : writeFilter({ values: without(values, value), isExcluded });
}

/** The filter after a value was excluded, in addition to those already excluded. */
export function excluded(name: FilterName, text: string | undefined, value: string): string {
  if (text === undefined) return `-${value}`;
  const { values, isExcluded } = readFilter(name, text);
  const others = isExcluded ? without(values, value).slice(0, filterValuesMax - 1) : [];
  return `-${[...others, value].join(",")}`;
}

/** The filter after a value was checked or unchecked. */
export function toggled(name: FilterName, text: string | undefined, value: string): string | undefined {
  const { values, isExcluded } = readFilter(name, text ?? "");
  const isTicked = values.includes(value);
  if (!isTicked && values.length === filterValuesMax) return text;
  return writeFilter({ values: isTicked ? without(values, value) : [...values, value], isExcluded });
}

/** The same filter with kept and excluded values swapped. */
export function inverted(text: string): string {
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}

function without(values: readonly string[], value: string): string[] {
  return values.filter((each) => each !== value);
}
