import { invalid } from "../base/problem.ts";
import { clickUrlMax } from "../clicks/click.ts";
import { type BotChoice, baseUrlOf, type Dimension, type Filter } from "../clicks/query.ts";
import { groupNamed, isChannel, referrerGroupOf } from "../clicks/referrer-group.ts";
import { channels } from "../clicks/referrer-table.ts";
import { rootKey } from "../domains/domain.ts";
import { isCountry, nearestCountry } from "./countries.ts";

/** The label of an unknown value in reports and filters. */
export const unknownLabel = "Unknown";
/** The label of the missing referrer of a direct visit. */
export const directLabel = "(direct)";

/** TABLE of the filters, each with the conversion of a parameter to the form stored with clicks. */
const normalizers = {
  country: upperCase,
  region: upperCase,
  city: unchanged,
  continent: upperCase,
  device: capitalized,
  browser: capitalized,
  os: capitalized,
  language: lowerCase,
  trigger: lowerCase,
  bot: lowerCase,
  channel: lowerCase,
  refererGroup: storedGroup,
  referer: lowerCase,
  refererUrl: storedUrl,
  url: storedUrl,
  baseUrl: (value) => baseUrlOf(storedUrl(value)),
  utm_source: unchanged,
  utm_medium: unchanged,
  utm_campaign: unchanged,
  utm_term: unchanged,
  utm_content: unchanged,
} as const satisfies Partial<Record<Dimension, (value: string) => string>>;

/** The name of a filter, which is its column of clicks. */
export type FilterName = keyof typeof normalizers;

/** The names of the filters, in the order of the reference. */
export const filterNames: readonly FilterName[] = Object.keys(normalizers).filter(isFilterName);

/** TABLE of the plural names of filters. `bots` is a separate parameter. */
export const pluralNames = {
  countries: "country",
  regions: "region",
  cities: "city",
  continents: "continent",
  devices: "device",
  browsers: "browser",
  languages: "language",
  triggers: "trigger",
  channels: "channel",
  refererGroups: "refererGroup",
  referers: "referer",
  refererUrls: "refererUrl",
  urls: "url",
  baseUrls: "baseUrl",
  utm_sources: "utm_source",
  utm_mediums: "utm_medium",
  utm_campaigns: "utm_campaign",
  utm_terms: "utm_term",
  utm_contents: "utm_content",
} as const satisfies Record<string, FilterName>;
export type PluralName = keyof typeof pluralNames;

/** Filters as parameters: one value, several separated by commas, or, after a leading hyphen, values to exclude. */
export type FilterInput = { [Name in FilterName | PluralName]?: string | undefined } & {
  /** True means trigger=qr. */
  qr?: boolean | undefined;
  /** True for the clicks of root links only, false for those of other links only. */
  root?: boolean | undefined;
};

/** The classes of clicks that a report can count. */
export const botChoices = ["exclude", "include", "only"] as const satisfies readonly BotChoice[];

/** The most values of one filter. */
export const filterValuesMax = 100;

/**
 * Parses the conditions that all selected clicks meet.
 * Throws "unprocessable_entity" for a filter without a value, because ignoring it would widen the result, for more than
 * filterValuesMax values, for an unknown country or channel, and for a filter given under both of its names.
 */
export function parseFilters(input: FilterInput): Filter[] {
  const filters: Filter[] = [];
  for (const name of filterNames) {
    const text = input[name];
    if (text !== undefined) filters.push(parseFilter(name, text));
  }
  for (const plural of Object.keys(pluralNames).filter(isPluralName)) {
    const [name, text] = [pluralNames[plural], input[plural]];
    if (text === undefined) continue;
    if (input[name] !== undefined) throw invalid(plural, `means the same as ${name}; send only one of them.`);
    filters.push(parseFilter(name, text));
  }
  if (input.qr === true) filters.push({ dimension: "trigger", values: ["qr"], isExcluded: false });
  if (input.root !== undefined) filters.push({ dimension: "key", values: [rootKey], isExcluded: !input.root });
  return filters;
}

/**
 * The class of clicks to count: human clicks by default, and bot clicks if kinds of bots are named. Throws
 * "unprocessable_entity" for an unknown class.
 */
export function parseBots({
  bots = "exclude",
  bot,
}: Pick<FilterInput, "bot"> & { bots?: string | undefined }): BotChoice {
  const choice = botChoices.find((known) => known === bots);
  if (choice === undefined) throw invalid("bots", `must be one of ${botChoices.join(", ")}.`);
  return bot === undefined || isExclusion(bot) ? choice : "only";
}

/** Values to include, or to exclude. */
export type ValueList = { values: string[]; isExcluded: boolean };

/** Parses values separated by commas; a leading hyphen excludes them. Throws like parseFilters. */
export function parseList(name: string, text: string, separator: string | RegExp = ","): ValueList {
  const isExcluded = isExclusion(text);
  const values = (isExcluded ? text.trimStart().slice(1) : text)
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (values.length === 0)
    throw invalid(name, `must have a value, or be left out; ${unknownLabel} matches clicks without a value.`);
  if (values.length > filterValuesMax) throw invalid(name, `must have at most ${filterValuesMax} values.`);
  return { values, isExcluded };
}

/** True for a leading hyphen, possibly after blanks. */
function isExclusion(text: string): boolean {
  return text.trimStart().startsWith("-");
}

/** The most characters of a wrong value that the problem repeats. */
const shownCharactersMax = 64;

/** A URL may contain commas, so only a comma before another URL or a label separates values. */
const addressSeparator = /,(?=\s*(?:[a-z][a-z0-9+.-]*:|\(direct\)|unknown\s*(?:,|$)))/i;

function parseFilter(name: FilterName, text: string): Filter {
  const { values, isExcluded } = parseList(name, text, isAddress(name) ? addressSeparator : ",");
  if (name === "country") values.forEach(requireCountry);
  if (name === "channel") values.forEach(requireChannel);
  return { dimension: name, values: values.map((value) => storedValue(name, value)), isExcluded };
}

function requireCountry(value: string): void {
  if (storedValue("country", value) === "" || isCountry(value.toUpperCase())) return;
  const nearest = nearestCountry(value);
  const shown = value.slice(0, shownCharactersMax);
  throw nearest === undefined
    ? invalid("country", `must be ISO 3166-1 codes such as DE, or ${unknownLabel}; ${shown} is not one.`)
    : invalid("country", `must be ISO 3166-1 codes such as DE, or ${unknownLabel}; for ${shown}, use ${nearest}.`);
}

function requireChannel(value: string): void {
  const stored = storedValue("channel", value);
  if (stored === "" || isChannel(stored)) return;
  throw invalid("channel", `must be ${channels.join(", ")}; ${value.slice(0, shownCharactersMax)} is not one.`);
}

function storedValue(name: FilterName, value: string): string {
  const lower = value.toLowerCase();
  if (lower === unknownLabel.toLowerCase()) return "";
  if (lower === directLabel && (name === "referer" || name === "refererGroup" || name === "refererUrl")) return "";
  return normalizers[name](value);
}

function isFilterName(name: string): name is FilterName {
  return Object.hasOwn(normalizers, name);
}

function isPluralName(name: string): name is PluralName {
  return Object.hasOwn(pluralNames, name);
}

function isAddress(name: FilterName): boolean {
  return name === "url" || name === "baseUrl" || name === "refererUrl";
}

function unchanged(value: string): string {
  return value;
}

function upperCase(value: string): string {
  return value.toUpperCase();
}

function lowerCase(value: string): string {
  return value.toLowerCase();
}

/** A group by its name, or by one of its hosts. */
function storedGroup(value: string): string {
  return (groupNamed(value) ?? referrerGroupOf(value.toLowerCase())).refererGroup;
}

/** Names that begin with a lower-case letter. */
const lowerCaseNames = ["iOS", "macOS"];

function capitalized(value: string): string {
  const small = lowerCaseNames.find((name) => name.toLowerCase() === value.toLowerCase());
  return small ?? value.charAt(0).toUpperCase() + value.slice(1);
}

function storedUrl(value: string): string {
  return value.slice(0, clickUrlMax);
}
