import { refusedFields } from "../../api/problem.ts";
import { fieldsWithErrors } from "../link-fields.ts";
import type { Draft } from "./draft.ts";

/** The API fields whose errors the form shows at a field. */
export function shownFields({ rules, geo, testVariants }: Draft): string[] {
  return [
    ...fieldsWithErrors,
    ...geo.map(({ country }) => geoField(country)),
    ...rules.flatMap(({ conditions }, index) => [
      `rules.${index}.url`,
      ...conditions.map(({ field }) => `rules.${index}.when.${field}`),
    ]),
    ...testVariants.flatMap((_, index) => [`testVariants.${index}.url`, `testVariants.${index}.percentage`]),
  ];
}

/** The API's name of a country's destination. */
export function geoField(country: string): string {
  return `geo.${country.trim()}`;
}

/** True when the country code is wrong, and not its destination: the API has one name for both. */
export function isCountryRefused(error: unknown, country: string): boolean {
  return refusedFields(error).some(
    ({ field, reason }) => field === geoField(country) && reason.includes("country code"),
  );
}

/** TABLE of further fields that an error depends on; changing any of them may fix it. */
const aboutToo: Partial<Record<string, readonly (keyof Draft)[]>> = {
  key: ["domain"],
  expiresAt: ["startsAt"],
  testCompletedAt: ["testStartedAt"],
};

/** True when the values that an error depends on differ between two forms. */
export function isChangedAt(field: string, one: Draft, other: Draft): boolean {
  return JSON.stringify(valueAt(field, one)) !== JSON.stringify(valueAt(field, other));
}

function valueAt(field: string, draft: Draft): unknown {
  const [name = "", item = "", part = "", condition] = field.split(".");
  if (name === "ref" || name.startsWith("utm_")) return draft.url;
  if (name === "geo" && item !== "") return draft.geo.filter(({ country }) => geoField(country) === field);
  if (name === "testVariants" && item !== "") return partOf(draft.testVariants[Number(item)], part);
  if (name === "rules" && item !== "") {
    const rule = draft.rules[Number(item)];
    if (condition === undefined) return partOf(rule, part);
    return rule?.conditions.filter((each) => each.field === condition);
  }
  return [name, ...(aboutToo[name] ?? [])].map((each) => partOf(draft, each));
}

/** The property of that name; the whole object if it has none. */
function partOf(whole: object | undefined, name: string): unknown {
  return whole === undefined ? whole : (Object.entries(whole).find(([key]) => key === name)?.[1] ?? whole);
}
