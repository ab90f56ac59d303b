import type { Format } from "../base/format.ts";
import { displayUrl } from "../base/url-text.ts";
import type { Texts } from "../texts/en/en.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { type FilterName, unknownValue } from "./filters.ts";
import { isCountryCode } from "./flags.ts";
import type { Grouping, Row } from "./groupings.ts";
import { groupings, rowValue } from "./groupings.ts";
import type { Icon, SymbolName } from "./value-icon.tsx";

/**
 * The text of a value, and what is shown with it: its icon or a short code before the text, and `about` after it. Without
 * room, the text is cut in its `host`, where it has one.
 */
export type Label = {
  text: string;
  host?: string | undefined;
  about?: string | undefined;
  code?: string | undefined;
  icon?: Icon | undefined;
};

/** Returns functions that label rows and filter values in the person's language, and find rows by their labels. */
export function useLabels() {
  const { analytics } = useTexts();
  const format = useFormat();
  return {
    ofValue: (filter: FilterName, value: string) => valueLabel(filter, value, analytics, format),
    ofRow: (grouping: Grouping, row: Row) => rowLabel(grouping, row, analytics, format),
    /** True if a row's label, value or destination contains a text in lower case. */
    isFound(grouping: Grouping, row: Row, searchText: string): boolean {
      const { text, about, code } = rowLabel(grouping, row, analytics, format);
      const texts = [text, about, code, row.url, rowValue(grouping, row)];
      return texts.join(" ").toLowerCase().includes(searchText);
    },
  };
}

type Words = Texts["analytics"];

function rowLabel(grouping: Grouping, row: Row, words: Words, format: Format): Label {
  switch (grouping) {
    case "top_links": {
      const text = displayUrl(row.shortLink ?? `${row.domain}/${row.key}`);
      return {
        text,
        host: /^[^/]+(?=\/)/.exec(text)?.[0],
        about: row.deleted === true ? words.deletedLink : (row.title ?? displayUrl(row.url ?? "")),
      };
    }
    case "top_folders":
      return { text: row.folder?.name ?? row.folderId ?? "" };
    case "top_link_tags":
      return { text: row.tag?.name ?? row.tagId ?? "" };
    case "cities":
      return { text: row.city ?? "", about: format.country(row.country ?? ""), ...countryIcon(row.country) };
    case "regions":
      return { text: row.region ?? "", about: format.country(row.country ?? ""), ...countryIcon(row.country) };
    default:
      return valueLabel(groupings[grouping].filter, rowValue(grouping, row), words, format);
  }
}

/** A country's flag and its code, by which people search. */
function countryIcon(country = ""): Pick<Label, "code" | "icon"> {
  return { code: country, icon: isCountryCode(country) ? { kind: "flag", country } : undefined };
}

function valueLabel(filter: FilterName, value: string, words: Words, format: Format): Label {
  const icon = iconOf(filter, value);
  return { ...plainLabel(filter, value, words, format), ...(icon !== undefined && { icon }) };
}

function plainLabel(filter: FilterName, value: string, words: Words, format: Format): Label {
  if (value === "(direct)") return { text: words.direct };
  if (value.toLowerCase() === unknownValue.toLowerCase()) {
    // A destination without the parameter is known to have none.
    return { text: filter.startsWith("utm_") ? words.withoutParameter : words.unknown };
  }
  switch (filter) {
    case "country":
      return { text: format.country(value), ...countryIcon(value) };
    case "continent":
      return { text: nameIn(words.continents, value) };
    case "language":
      return { text: format.languageName(value), code: value };
    case "trigger":
      return { text: nameIn(words.triggerNames, value) };
    case "bot":
      return { text: nameIn(words.botNames, value) };
    case "channel":
      return { text: nameIn(words.channelNames, value) };
    case "device":
      return { text: nameIn(words.deviceNames, value) };
    case "url":
    case "baseUrl":
    case "refererUrl":
      return { text: displayUrl(value) };
    default:
      return { text: value };
  }
}

function nameIn(names: Record<string, string>, value: string): string {
  return Object.hasOwn(names, value) ? (names[value] ?? value) : value;
}

/** TABLE of the icons of values that have one each. */
const symbols: Partial<Record<FilterName, Record<string, SymbolName>>> = {
  device: { Desktop: "computer", Mobile: "phone", Tablet: "tablet" },
  trigger: { link: "link", qr: "qr" },
  channel: {
    direct: "direct",
    search: "search",
    social: "social",
    messaging: "messaging",
    email: "email",
    ai: "ai",
    referral: "referral",
  },
};

function iconOf(filter: FilterName, value: string): Icon | undefined {
  if (value === "(direct)") return { kind: "symbol", symbol: "direct" };
  if (value.toLowerCase() === unknownValue.toLowerCase()) return undefined;
  const named = symbols[filter];
  const symbol = named !== undefined && Object.hasOwn(named, value) ? named[value] : undefined;
  if (symbol !== undefined) return { kind: "symbol", symbol };
  switch (filter) {
    case "refererGroup":
      return value.includes(".") ? { kind: "host", host: value } : { kind: "brand", name: value, symbol: "referral" };
    case "referer":
      return { kind: "host", host: value };
    case "refererUrl":
      return { kind: "host", host: URL.parse(value)?.hostname ?? "" };
    case "browser":
      return { kind: "brand", name: value, symbol: "program" };
    case "os":
      return { kind: "brand", name: value, symbol: "computer" };
    default:
      return undefined;
  }
}
