import type { Format } from "../base/format.ts";
import { variantLetter } from "../base/variant-letter.ts";
import type { Texts } from "../texts/en/en.ts";
import { conditionsText } from "./conditions-text.ts";
import { holdsInstant } from "./link-fields.ts";

/** What the values of a link are written with: a language, its formats, and the workspace's folders by id. */
type ValueWords = {
  texts: Pick<Texts, "links" | "auditLog">;
  format: Format;
  folderNames: ReadonlyMap<string, string>;
};

/** A field's value in the history; rules, countries and variants one per line. "" for an unset field. */
export function shownValue(field: string, value: unknown, words: ValueWords): string {
  const { texts, format, folderNames } = words;
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "object") return linesOf(field, value, words).join(field === "tags" ? ", " : "\n");
  if (typeof value === "boolean") return texts.auditLog.values[String(value)] ?? "";
  if (typeof value === "number") return format.number(value);
  const text = String(value);
  if (field === "password") return texts.links.password.isSet;
  if (field === "folderId") return folderNames.get(text) ?? text;
  return holdsInstant(field) ? format.instant(text) : text;
}

/** A line for each country, rule, variant or tag. */
function linesOf(field: string, value: object, { texts, format }: ValueWords): string[] {
  const items: [string, unknown][] = Object.entries(value);
  return items.map(([name, item], index) => {
    if (field === "geo") return `${format.country(name)} → ${item}`;
    if (typeof item !== "object" || item === null) return String(item);
    if ("name" in item) return String(item.name);
    if ("when" in item && "url" in item) return `${conditionsText(item.when, texts.links, format)} → ${item.url}`;
    if (!("percentage" in item && "url" in item)) return JSON.stringify(item);
    return `${variantLetter(index)}, ${format.percent(Number(item.percentage) / 100)} → ${item.url}`;
  });
}
