import type { FieldColumns, LinkRow, TestVariant } from "./link.ts";
import type { Rule } from "./link-rules.ts";

/** The columns that hold targets. */
export const targetColumns = ["url", "rules", "ios", "android", "geo", "testVariants", "expiredUrl"] as const;

/** The columns that say where a link leads its visitors. */
export const followedColumns = [
  ...targetColumns,
  "domainId",
  "forwardPath",
  "expiresAt",
  "startsAt",
  "maxClicks",
] as const;

/** The targets of a link, as stored. */
export type Targets = Pick<FieldColumns, (typeof targetColumns)[number]>;

/** A link whose visitors are followed. */
export type FollowedLink = Targets &
  Pick<LinkRow, "id" | "domainId" | "forwardPath" | "expiresAt" | "startsAt" | "maxClicks">;

/** Every url that a link may send a visitor to, with its field. The JSON was written by link-fields.ts. */
export function targetsOf({ url, rules, ios, android, geo, testVariants, expiredUrl }: Targets): [string, string][] {
  const ruleList = rules === null ? [] : (JSON.parse(rules) as Rule[]);
  const countries = geo === null ? {} : (JSON.parse(geo) as Record<string, string>);
  const variants = testVariants === null ? [] : (JSON.parse(testVariants) as TestVariant[]);
  const single = { url, ios, android, expiredUrl };
  return [
    ...Object.entries(single).flatMap(([field, target]): [string, string][] => (target ? [[field, target]] : [])),
    ...ruleList.map((rule, index): [string, string] => [`rules.${index}.url`, rule.url]),
    ...Object.entries(countries).map(([country, target]): [string, string] => [`geo.${country}`, target]),
    ...variants.map((variant, index): [string, string] => [`testVariants.${index}.url`, variant.url]),
  ];
}

/** The characters that the targets of a link have in the database. */
export function charactersOf(link: Targets): number {
  return targetColumns.reduce((sum, column) => sum + (link[column]?.length ?? 0), 0);
}

/** True where the link's end is its domain's matter. */
export function fallsBackToDomain({ expiredUrl, expiresAt, startsAt, maxClicks }: FollowedLink): boolean {
  return expiredUrl === null && (expiresAt !== null || startsAt !== null || maxClicks !== null);
}
