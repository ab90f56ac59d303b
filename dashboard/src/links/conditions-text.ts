import type { Format } from "../base/format.ts";
import type { Texts } from "../texts/en/en.ts";

/** The conditions of a rule as one line, such as "Country: Austria, Switzerland · Device: Mobile". */
export function conditionsText(when: unknown, links: Texts["links"], format: Format): string {
  const labels = new Map(Object.entries(links.rules.fields));
  const valueText = (field: string, value: unknown): string => {
    if (Array.isArray(value)) return value.map((one) => valueText(field, one)).join(", ");
    const text = String(value);
    if (field === "country") return format.country(text);
    if (field === "language") return format.languageName(text);
    return field === "after" || field === "before" ? format.instant(text) : text;
  };
  const conditions = entriesOf(when).flatMap(([field, value]) => {
    const label = labels.get(field) ?? field;
    if (field !== "query") return [`${label}: ${valueText(field, value)}`];
    return entriesOf(value).map(([name, text]) => `${label}: ${name}=${text}`);
  });
  return conditions.join(" · ");
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
