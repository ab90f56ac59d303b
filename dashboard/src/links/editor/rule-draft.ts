import type { Schemas } from "../../../../sdk/client.ts";
import { type DayEdge, fieldValueOf, instantAt } from "../../base/time-text.ts";

type Rule = Schemas["Rule"];

/** The fields of a condition, in the order of the menu. */
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
/** A field of a condition. */
export type ConditionField = (typeof conditionFields)[number];

/**
 * A condition as it is edited. `value` is a comma-separated list of alternatives; for "query" it is the value of the
 * parameter `name`; for "after" and "before" a day or local time, and `instant` is the stored instant, which includes
 * seconds.
 */
export type ConditionDraft = { field: ConditionField; name: string; value: string; instant?: string };
export type RuleDraft = { conditions: ConditionDraft[]; url: string };

/** A new rule; its condition is about the country until another field is chosen. */
export const newRule: RuleDraft = { conditions: [{ field: "country", name: "", value: "" }], url: "" };

/** The form of a rule. ruleOf converts it back to the same rule, including seconds. */
export function ruleDraftOf({ when, url }: Rule): RuleDraft {
  const conditions = conditionFields.flatMap((field): ConditionDraft[] => {
    if (field === "query") return Object.entries(when.query ?? {}).map(([name, value]) => ({ field, name, value }));
    const value = when[field];
    if (value === undefined) return [];
    if (isInstantField(field)) {
      const instant = String(value);
      return [{ field, name: "", value: fieldValueOf(instant, conditionEdges[field]), instant }];
    }
    return [{ field, name: "", value: Array.isArray(value) ? value.join(", ") : String(value) }];
  });
  return { conditions, url };
}

/**
 * The fields that a condition can have in addition to the other conditions of its rule: each rule has at most one
 * "after" and one "before".
 */
export function availableFields(others: readonly ConditionDraft[]): ConditionField[] {
  return conditionFields.filter((field) => !isInstantField(field) || others.every((other) => other.field !== field));
}

/** A parameter that a rule lists twice, which the API cannot store; undefined for none. */
export function duplicateParameter({ conditions }: RuleDraft): string | undefined {
  const names = conditions.flatMap(({ field, name }) => (field === "query" ? [name.trim()] : []));
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** TABLE of the conditions about an instant, and the edge of the day that a day without a time means. */
export const conditionEdges = { after: "start", before: "end" } as const satisfies Record<string, DayEdge>;

/** True for conditions about an instant, whose value is a day or local time. */
export function isInstantField(field: ConditionField): field is keyof typeof conditionEdges {
  return field === "after" || field === "before";
}

/** Converts the form to a rule for the API. The lists of conditions about the same field are joined. */
export function ruleOf({ conditions, url }: RuleDraft): Rule {
  const when: Rule["when"] = {};
  for (const { field, name, value, instant } of conditions) {
    if (field === "query") {
      when.query = { ...when.query, [name.trim()]: value };
    } else if (isInstantField(field)) {
      const edge = conditionEdges[field];
      const isStored = instant !== undefined && fieldValueOf(instant, edge) === value;
      when[field] = isStored ? instant : (instantAt(value, edge) ?? value);
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
