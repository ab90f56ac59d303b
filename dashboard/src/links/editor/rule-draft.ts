import type { Schemas } from "../../../../sdk/client.ts";
import { localTime } from "../../base/local-time.ts";
import { parseTime } from "../../base/time-text.ts";

type Rule = Schemas["Rule"];

/** What a condition of a rule can be about, in the order they are offered. */
const conditionFields = [
  "country",
  "device",
  "os",
  "browser",
  "language",
  "continent",
  "region",
  "query",
  "after",
  "before",
] as const;
/** One of the things that a condition can be about. */
export type ConditionField = (typeof conditionFields)[number];

/**
 * A condition as it is filled in. `value` is a list with commas, of which one has to fit; of "query" the parameter's
 * value, its name being `name`; of "after" and "before" a local time, `instant` being the one it was read from, which has
 * seconds.
 */
export type ConditionDraft = { field: ConditionField; name: string; value: string; instant?: string };
export type RuleDraft = { conditions: ConditionDraft[]; url: string };

/** A rule as it is added; it is about a country until another condition is chosen. */
export const newRule: RuleDraft = { conditions: [{ field: "country", name: "", value: "" }], url: "" };

/** The form of a rule; ruleOf makes the same rule of it, times to the second among it. */
export function ruleDraftOf({ when, url }: Rule): RuleDraft {
  const conditions = conditionFields.flatMap((field): ConditionDraft[] => {
    if (field === "query") return Object.entries(when.query ?? {}).map(([name, value]) => ({ field, name, value }));
    const value = when[field];
    if (value === undefined) return [];
    if (isTime(field)) {
      const instant = String(value);
      return [{ field, name: "", value: localTime(instant), instant }];
    }
    return [{ field, name: "", value: Array.isArray(value) ? value.join(", ") : String(value) }];
  });
  return { conditions, url };
}

/** What a condition can be about beside the others of its rule: there is one "after" and one "before" in each. */
export function fieldsBeside(others: readonly ConditionDraft[]): ConditionField[] {
  return conditionFields.filter((field) => !isTime(field) || others.every((other) => other.field !== field));
}

/** A parameter that a rule names twice, which the API cannot hold; undefined for none. */
export function parameterTwice({ conditions }: RuleDraft): string | undefined {
  const names = conditions.flatMap(({ field, name }) => (field === "query" ? [name.trim()] : []));
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Whether a condition is about a moment, and its value a local time. */
export function isTime(field: ConditionField): field is "after" | "before" {
  return field === "after" || field === "before";
}

/** The rule for the API. Of two conditions about the same thing the lists are joined. */
export function ruleOf({ conditions, url }: RuleDraft): Rule {
  const when: Rule["when"] = {};
  for (const { field, name, value, instant } of conditions) {
    if (field === "query") {
      when.query = { ...when.query, [name.trim()]: value };
    } else if (isTime(field)) {
      when[field] = instant !== undefined && localTime(instant) === value ? instant : (instantOf(value) ?? value);
    } else {
      const values = [...listOf(when[field]), ...listOf(value)];
      when[field] = values.length === 1 ? (values[0] ?? "") : values;
    }
  }
  return { when, url };
}

function listOf(value: string | string[] | undefined): string[] {
  const items = Array.isArray(value) ? value : (value ?? "").split(",");
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

/** The instant of a local time; null for what is none. */
export function instantOf(local: string): string | null {
  const read = parseTime(local, "moment");
  return read === undefined ? null : new Date(read).toISOString();
}
