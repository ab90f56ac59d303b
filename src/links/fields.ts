import type { Selectable } from "kysely";
import { invalid } from "../base/problem.ts";
import type { LinksTable } from "../database/schema.ts";
import { isWebUrl } from "../domains/domain-settings.ts";
import { externalIdCharactersMax, readExternalId } from "./external-id.ts";
import { choice, flag, instant, integer, json, type LinkField, nullableFlag, text, url, utm } from "./field-kinds.ts";
import { readGeo } from "./geo.ts";
import { readRules } from "./link-rules.ts";
import { readTestVariants } from "./test-variants.ts";

/**
 * The fields of a link. A plain new field takes a column in database/schema.ts, a migration, and a line here. The types
 * of links and of changes, the columns, the API schemas, the history, the lookups of the redirects and the round-trip
 * test (tests/written-fields.test.ts) derive from this table.
 *
 * Fields that need more than their own value to be decided are not in it: domain, key, url, password, tags and folder.
 */

/** The columns that no field of the table decides alone. */
const otherColumns = [
  ...(["id", "workspaceId", "userId", "domainId", "key", "foldedKey", "url", "urlHash", "framing"] as const),
  ...(["passwordHash", "folderId", "clicks", "lastClicked", "createdAt", "updatedAt"] as const),
] satisfies (keyof LinksTable)[];

/** The HTTP statuses a link may redirect with. */
const redirectStatuses = [301, 302, 307, 308] as const;

/** Longer titles and descriptions of links are cut. */
export const titleCharactersMax = 120;
export const descriptionCharactersMax = 240;

const inert = "Stored; without effect so far.";
const wholeDay = "A date without a time means the whole day, in `timezone`.";

/** TABLE of link fields. It does not compile unless it has exactly the columns that are not in otherColumns. */
export const linkFields = {
  externalId: {
    ...text({
      charactersMax: externalIdCharactersMax,
      description: "Your own id, unique in the workspace; a leading `ext_` is removed.",
    }),
    // Unlike other texts, "" is refused.
    toColumn: readExternalId,
  },
  tenantId: text({ charactersMax: 255, description: "Your own id of the customer the link is for." }),
  programId: text({ charactersMax: 255, description: inert }),
  partnerId: text({ charactersMax: 255, description: inert }),
  comments: text({ charactersMax: 10_000, description: "A note for members of the workspace; visitors never see it." }),
  title: text({
    cutTo: titleCharactersMax,
    affectsRedirects: true,
    description: `The title in lists and previews, cut to ${titleCharactersMax} characters.`,
  }),
  description: text({
    cutTo: descriptionCharactersMax,
    description: `The preview description, cut to ${descriptionCharactersMax} characters.`,
  }),
  image: text({
    // A data URL of about 73 KiB of preview image: a listing carries each of its links.
    charactersMax: 100_000,
    // Room for any web address; a longer image is the picture itself, as a data URL.
    historyCharactersMax: 2_048,
    read: imageOrNull,
    description:
      "The preview image: an http or https URL, or a base64 data URL of at most about 73 KiB. Any other value counts as null.",
  }),
  video: text({ charactersMax: 32_000, read: readVideo, description: "The preview video, an http or https URL." }),
  startsAt: instant({
    dateMeans: "start",
    affectsRedirects: true,
    isOmittedWhenUnset: true,
    description: wholeDay,
  }),
  expiresAt: instant({
    dateMeans: "end",
    affectsRedirects: true,
    description: `${wholeDay} The link then expires at its end.`,
  }),
  expiredUrl: url({ affectsRedirects: true }),
  disabledAt: instant({
    dateMeans: "start",
    affectsRedirects: true,
    description:
      "From this time on, visitors get the domain's `notFoundUrl`, or a page with 410, instead of the destination. null enables the link again.",
  }),
  maxClicks: integer({
    min: 1,
    max: 1_000_000_000,
    affectsRedirects: true,
    isOmittedWhenUnset: true,
    description: "The link is used up after this many clicks; clicks of bots do not count. A higher limit reopens it.",
  }),
  redirectStatus: choice(redirectStatuses, { affectsRedirects: true, isOmittedWhenUnset: true, unsetMeans: "302" }),
  forwardPath: nullableFlag({
    affectsRedirects: true,
    isOmittedWhenUnset: true,
    description: "Appends the part of the path after the key to the destination's path.",
  }),
  rules: json({
    affectsRedirects: true,
    isOmittedWhenUnset: true,
    read: readRules,
    description:
      "Destinations for certain visitors. The first rule whose conditions all match decides, before ios, android and geo.",
  }),
  ios: url({ affectsRedirects: true }),
  android: url({ affectsRedirects: true }),
  geo: json({ affectsRedirects: true, read: readGeo, description: "Country code to url." }),
  testVariants: json({
    affectsRedirects: true,
    read: readTestVariants,
    description:
      "An A/B test: destinations among which visitors are divided, by percentages or by shares of their sum. A visitor keeps the same variant.",
  }),
  testStartedAt: instant({
    dateMeans: "start",
    affectsRedirects: true,
    description: "The start of the test; if absent, the test starts at once.",
  }),
  testCompletedAt: instant({
    dateMeans: "end",
    affectsRedirects: true,
    description: "The end of the test; after it, all visitors get url.",
  }),
  utm_source: utm({}),
  utm_medium: utm({}),
  utm_campaign: utm({}),
  utm_term: utm({}),
  utm_content: utm({}),
  archived: flag({}),
  proxy: flag({
    affectsRedirects: true,
    description:
      "Shows title, description, image and video to programs that create link previews; people are redirected.",
  }),
  rewrite: flag({
    affectsRedirects: true,
    description: "Shows the destination in a frame, so that the address stays the short link.",
  }),
  doIndex: flag({ affectsRedirects: true, description: "Lets search engines index the short link." }),
  publicStats: flag({ description: inert }),
  trackConversion: flag({ description: inert }),
} satisfies Record<Exclude<keyof LinksTable, (typeof otherColumns)[number]>, LinkField>;

type Table = typeof linkFields;
/** The name of a field, which is also the name of its column. */
export type FieldName = keyof Table;
/** The fields of one kind. */
export type FieldOfKind<Kind extends LinkField["kind"]> = NamesWith<{ kind: Kind }>;
/** The fields with an option, such as { affectsRedirects: true }. */
export type NamesWith<Option> = { [Name in FieldName]: Table[Name] extends Option ? Name : never }[FieldName];

/** All columns of a link, as they are read. */
export type LinkColumns = Selectable<LinksTable>;
/** The columns that the fields decide. */
export type FieldColumns = Pick<LinkColumns, FieldName>;
/** The fields as a Link holds them. */
export type FieldValues = { [Name in FieldName]: ReturnType<Table[Name]["toValue"]> };
/** The fields as a caller writes them: undefined leaves a field alone, null clears it. */
export type FieldInputs = { [Name in FieldName]?: Parameters<Table[Name]["toColumn"]>[0] };

/** The names of the fields, in the order of the table. */
// Object.keys forgets the names' type.
const fieldNames = Object.keys(linkFields) as FieldName[];

/** Every field with the options that any kind can have. */
export const fieldEntries: readonly (readonly [FieldName, LinkField])[] = fieldNames.map((name) => [
  name,
  linkFields[name],
]);

/** The names of the fields of some kinds. */
export function fieldsOfKind<Kind extends LinkField["kind"]>(...kinds: readonly Kind[]): FieldOfKind<Kind>[] {
  const isOfKind = (kind: LinkField["kind"]) => kinds.some((one) => one === kind);
  // The filter says what the type says.
  return fieldNames.filter((name) => isOfKind(linkFields[name].kind)) as FieldOfKind<Kind>[];
}

/** The fields that decide what visitors get. */
// The filter says what the type says.
export const redirectFields = fieldEntries.flatMap(([name, field]) =>
  field.affectsRedirects ? [name] : [],
) as NamesWith<{ affectsRedirects: true }>[];

/**
 * Every column of a link, to select. SQLite's table has one more: the row's number, which only the search index uses.
 */
export const linkColumns = [...otherColumns, ...fieldNames].map((name) => `links.${name}` as const);

/** A field by its name, with the types that the name implies. */
type Conversion<Name extends FieldName> = {
  unset: FieldColumns[Name];
  toColumn(value: FieldInputs[Name], name: string, appSchemes: readonly string[]): FieldColumns[Name] | undefined;
  toValue(column: FieldColumns[Name]): FieldValues[Name];
};
const conversions: { [Name in FieldName]: Conversion<Name> } = linkFields;

/** The columns of a link whose caller writes no field. */
// Filled by the loop, which visits every name.
export const unsetColumns = Object.fromEntries(
  fieldEntries.map(([name, { unset }]) => [name, unset]),
) as unknown as Readonly<FieldColumns>;

/** The columns after `input` was written over `before`. Throws "unprocessable_entity" and names the first bad field. */
export function writtenColumns(before: FieldColumns, input: FieldInputs, appSchemes: readonly string[]): FieldColumns {
  const after: FieldColumns = { ...before };
  for (const name of fieldNames) writeColumn(after, name, input, appSchemes);
  return after;
}

function writeColumn<Name extends FieldName>(
  after: FieldColumns,
  name: Name,
  input: FieldInputs,
  appSchemes: readonly string[],
): void {
  const column = conversions[name].toColumn(input[name], name, appSchemes);
  if (column !== undefined) after[name] = column;
}

/** The fields of a link as its columns say. */
export function fieldValues(columns: FieldColumns): FieldValues {
  const values: Partial<FieldValues> = {};
  for (const name of fieldNames) readValue(values, name, columns);
  // Filled by the loop, which visits every name.
  return values as FieldValues;
}

function readValue<Name extends FieldName>(values: Partial<FieldValues>, name: Name, columns: FieldColumns): void {
  values[name] = conversions[name].toValue(columns[name]);
}

function imageOrNull(image: string): string | null {
  const isPicture = /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/.test(image);
  return isPicture || (/^https?:\/\//i.test(image) && URL.canParse(image)) ? image : null;
}

function readVideo(video: string): string {
  if (isWebUrl(video)) return video;
  throw invalid("video", "must be an http or https URL such as https://example.com/video.mp4.");
}
