import { type FieldColumns, type FieldOfKind, type FieldValues, fieldsOfKind, linkFields } from "./fields.ts";
import type { LinkRow } from "./link.ts";

const singleColumns = ["url" as const, ...fieldsOfKind("url")];
const structuredColumns = fieldsOfKind("json");

/** The columns that hold targets: URLs that a link can send visitors to. */
export const targetColumns = [...singleColumns, ...structuredColumns];

/** The columns that say where a link sends its visitors. */
export const followedColumns = [
  ...targetColumns,
  ...(["domainId", "forwardPath", "expiresAt", "startsAt", "maxClicks"] as const),
];

/** The targets of a link, as stored. */
export type Targets = Pick<FieldColumns, FieldOfKind<"url" | "json">> & Pick<LinkRow, "url">;

/** A link whose targets are followed. */
export type FollowedLink = Targets & Pick<LinkRow, (typeof followedColumns)[number] | "id">;

/** Every URL that a link can send a visitor to, with the name of its field. */
export function targetsOf(link: Targets): [string, string][] {
  const single = singleColumns.flatMap((name): [string, string][] => {
    const target = link[name];
    return target ? [[name, target]] : [];
  });
  return [...single, ...structuredColumns.flatMap((name) => targetsIn(link, name))];
}

/** The characters of a link's targets in the database. */
export function charactersOf(link: Targets): number {
  return targetColumns.reduce((sum, column) => sum + (link[column]?.length ?? 0), 0);
}

/** True when the domain's expiredUrl decides where visitors go once the link has ended. */
export function fallsBackToDomain({ expiredUrl, expiresAt, startsAt, maxClicks }: FollowedLink): boolean {
  return expiredUrl === null && (expiresAt !== null || startsAt !== null || maxClicks !== null);
}

type Value<Name extends FieldOfKind<"json">> = NonNullable<FieldValues[Name]>;

/** TABLE of the targets in structured fields: the name of each after the field's, and the URL. */
const targetReaders: { [Name in FieldOfKind<"json">]: (value: Value<Name>) => [string, string][] } = {
  rules: (rules) => rules.map(({ url }, index) => [`${index}.url`, url]),
  geo: (geo) => Object.entries(geo),
  testVariants: (variants) => variants.map(({ url }, index) => [`${index}.url`, url]),
};

function targetsIn<Name extends FieldOfKind<"json">>(link: Targets, name: Name): [string, string][] {
  const readers: { [Any in FieldOfKind<"json">]: { toValue(column: string | null): Value<Any> | null } } = linkFields;
  const value = readers[name].toValue(link[name]);
  return value === null ? [] : targetReaders[name](value).map(([rest, url]) => [`${name}.${rest}`, url]);
}
