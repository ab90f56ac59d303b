import { invalid } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Warn } from "../base/warning.ts";
import { continentOf } from "../clicks/continents.ts";
import type { Flag } from "../database/schema.ts";
import { rootKey } from "../domains/domain.ts";
import { isWebUrl } from "../domains/domain-settings.ts";
import {
  normaliseDestination,
  type QueryEdit,
  readUtm,
  type UtmField,
  type UtmValues,
  utmFields,
  writeQuery,
} from "./destination-url.ts";
import {
  descriptionCharactersMax,
  externalIdOf,
  type FieldColumns,
  geoCharactersMax,
  type LinkChanges,
  type LinkFields,
  maxClicksMax,
  type NewLink,
  passwordMask,
  testPercentageMax,
  testPercentageMin,
  testVariantsMax,
  testVariantsMin,
  textMax,
  titleCharactersMax,
} from "./link.ts";
import type { PlacementFields } from "./link-placement.ts";
import { readRules } from "./link-rules.ts";

/**
 * The rules by which what callers write becomes the columns of a link; tags, folder, key and domain have rules of
 * their own.
 */

/** The columns of a link that a field of the same name decides by itself; url and the utm fields decide each other. */
type AppliedField = Exclude<keyof FieldColumns, "url" | UtmField>;

/** The fields that are applied elsewhere: place, filing, destination, password. */
type OtherField = "domain" | "key" | keyof PlacementFields | keyof QueryEdit | "password" | "disabled";

/** The column for what a caller wrote; undefined leaves it. Throws "unprocessable_entity" naming the field. */
type FieldReader<Field extends AppliedField> = (
  value: LinkFields[Field],
  appSchemes: readonly string[],
) => FieldColumns[Field] | undefined;

/**
 * TABLE of link fields and how each becomes its column. It does not compile unless it has exactly the fields that a
 * caller may set and that are not applied elsewhere, so that no field is accepted and then forgotten.
 */
const fieldReaders: { [Field in AppliedField | Exclude<keyof LinkFields, OtherField>]: FieldReader<Field> } = {
  externalId: readExternalId,
  tenantId: (value) => boundedText("tenantId", value),
  programId: (value) => boundedText("programId", value),
  partnerId: (value) => boundedText("partnerId", value),
  comments: (value) => boundedText("comments", value),
  title: (value) => cut(value, titleCharactersMax),
  description: (value) => cut(value, descriptionCharactersMax),
  image: (value) => imageOrNull(boundedText("image", value)),
  video: (value) => readVideo(boundedText("video", value)),
  startsAt: (value) => value,
  expiresAt: (value) => value,
  expiredUrl: (value, appSchemes) => optionalUrl(value, "expiredUrl", appSchemes),
  disabledAt: (value) => value,
  maxClicks: readMaxClicks,
  redirectStatus: (value) => value,
  forwardPath: (value) => asFlag(value === null ? false : value),
  rules: readRules,
  ios: (value, appSchemes) => optionalUrl(value, "ios", appSchemes),
  android: (value, appSchemes) => optionalUrl(value, "android", appSchemes),
  geo: readGeo,
  testVariants: readTestVariants,
  testStartedAt: (value) => value,
  testCompletedAt: (value) => value,
  archived: asFlag,
  proxy: asFlag,
  rewrite: asFlag,
  doIndex: asFlag,
  publicStats: asFlag,
  trackConversion: asFlag,
};
// The keys of the table, by its type.
const appliedFields = Object.keys(fieldReaders) as AppliedField[];

/**
 * The columns of a link after `input` was applied to `before`, url and utm fields aside.
 * Throws "unprocessable_entity" naming the first bad field.
 */
export function applyFields(before: FieldColumns, input: LinkFields, appSchemes: readonly string[]): FieldColumns {
  const after: FieldColumns = { ...before };
  for (const field of appliedFields) applyField(after, field, input, appSchemes);
  if (input.startsAt !== undefined || input.expiresAt !== undefined) refuseNeverOpen(after);
  if (input.testStartedAt !== undefined || input.testCompletedAt !== undefined) refuseNeverRunning(after);
  return after;
}

/**
 * The input with `disabled` as the disabledAt that it stands for: true is now, unless the link is disabled already; a
 * disabledAt in the future is moved to now. Throws "unprocessable_entity" where `disabled` and `disabledAt` disagree.
 */
export function readDisabled<Input extends LinkFields>(
  { disabledAt: before }: Pick<FieldColumns, "disabledAt">,
  { disabled, ...input }: Input,
  now: Clock,
): Omit<Input, "disabled"> {
  if (disabled === undefined) return input;
  const at = now();
  const { disabledAt } = input;
  if (disabledAt !== undefined) {
    const agrees = disabled ? disabledAt !== null && disabledAt <= at : disabledAt === null;
    if (agrees) return input;
    throw invalid("disabled", "contradicts disabledAt; send one of them.");
  }
  if (!disabled) return { ...input, disabledAt: null };
  return { ...input, disabledAt: before !== null && before <= at ? before : at };
}

function applyField<Field extends AppliedField>(
  after: FieldColumns,
  field: Field,
  input: LinkFields,
  appSchemes: readonly string[],
): void {
  const column = fieldReaders[field](input[field], appSchemes);
  if (column !== undefined) after[field] = column;
}

/** Asked of who names one of them: a link that was stored so before can be changed in all else. */
function refuseNeverOpen({ startsAt, expiresAt }: FieldColumns): void {
  if (startsAt === null || expiresAt === null || startsAt < expiresAt) return;
  throw invalid("expiresAt", "must be later than the start (startsAt); the link would never be open.");
}

/** The same of a test. */
function refuseNeverRunning({ testStartedAt, testCompletedAt }: FieldColumns): void {
  if (testStartedAt === null || testCompletedAt === null || testStartedAt < testCompletedAt) return;
  throw invalid("testCompletedAt", "must be later than the start (testStartedAt); the test would never run.");
}

/** The url of a new link with its utm fields and ref written in, and the utm fields read back from it. */
export function newDestination(input: NewLink, appSchemes: readonly string[]): UtmValues & { url: string } {
  const set = Object.entries(readQueryEdit(input)).filter(([, value]) => typeof value === "string");
  const url = writeQuery(normaliseDestination(input.url, "url", appSchemes), Object.fromEntries(set));
  return { url, ...readUtm(url) };
}

/**
 * The url of a link after an update: utm fields of the input are written into it or removed from it; a new url also
 * takes over the utm fields that the link has and the input does not name.
 */
export function changedDestination(
  before: UtmValues & { url: string; key: string },
  input: LinkChanges,
  appSchemes: readonly string[],
): UtmValues & { url: string } {
  const { url: written } = input;
  // A root link may lead nowhere, as it does when its domain is new.
  if (before.key === rootKey && written?.trim() === "") return { url: "", ...readUtm("") };
  const edit = readQueryEdit(input);
  if (written !== undefined) {
    for (const field of utmFields) edit[field] = keptOr(before[field] ?? undefined, edit[field]);
  }
  const base = written === undefined ? before.url : normaliseDestination(written, "url", appSchemes);
  if (base === "") return { url: "", ...readUtm("") };
  const url = writeQuery(base, edit);
  return { url, ...readUtm(url) };
}

/** The password to set, null to clear it, undefined to leave it. Throws for one that is too long. */
export function readPassword(password: Text): Text {
  if (password === passwordMask) return undefined;
  return boundedText("password", password);
}

type Text = string | null | undefined;

function keptOr<Value>(before: Value, input: Value | undefined): Value {
  return input === undefined ? before : input;
}

function asFlag(value: boolean | undefined): Flag | undefined {
  if (value === undefined) return undefined;
  return value ? 1 : 0;
}

/** A text within its bound; "" clears, as null does. */
function boundedText(field: keyof typeof textMax, value: Text): Text {
  if (value === undefined || value === null || value === "") return value === undefined ? undefined : null;
  if (value.length > textMax[field]) throw invalid(field, `may have at most ${textMax[field]} characters.`);
  return value;
}

/** An externalId in its stored form, without `ext_`. Throws "unprocessable_entity" for an empty or too long one. */
export function readExternalId(value: Text): Text {
  if (value === undefined || value === null) return value;
  const externalId = externalIdOf(value) ?? value;
  if (externalId === "" || externalId.length > textMax.externalId) {
    throw invalid("externalId", `must have from 1 to ${textMax.externalId} characters.`);
  }
  return externalId;
}

/** At most `max` UTF-16 units, without a part of the last character that a reader sees, such as an emoji. */
function cut(value: Text, max: number): Text {
  if (value === undefined || value === null || value === "") return value === undefined ? undefined : null;
  if (value.length <= max) return value;
  let end = 0;
  for (const { index, segment } of characters.segment(value.slice(0, max + 1))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  // One character may be longer than all that is stored.
  return end === 0 ? value.slice(0, max).replace(/[\ud800-\udbff]$/, "") : value.slice(0, end);
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** TABLE of the texts that are cut, and their lengths, which are those of Dub's API. */
const cutTexts = [
  { field: "title", max: titleCharactersMax },
  { field: "description", max: descriptionCharactersMax },
] as const;

/** Warns of each text of the input that is stored shorter than it was sent, and of an expiry that has passed. */
export function warnOfInput({ warn, now }: { warn?: Warn | undefined; now: Clock }, input: LinkFields): void {
  if (typeof input.expiresAt === "number" && input.expiresAt <= now()) {
    warn?.({ code: "expired", message: "expiresAt has passed, so visitors do not reach the destination." });
  }
  for (const { field, max } of cutTexts) {
    if ((input[field]?.length ?? 0) <= max) continue;
    warn?.({ code: "text_cut", message: `${field} was cut to ${max} characters.` });
  }
}

function readVideo(value: Text): Text {
  if (typeof value === "string" && !isWebUrl(value)) {
    throw invalid("video", "must be an http or https URL such as https://example.com/video.mp4.");
  }
  return value;
}

function imageOrNull(value: Text): Text {
  if (value === undefined || value === null) return value;
  const isWebUrl = /^https?:\/\//i.test(value) && URL.canParse(value);
  return isWebUrl || /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/.test(value) ? value : null;
}

function optionalUrl(value: Text, field: string, appSchemes: readonly string[]): Text {
  if (value === undefined || value === null || value.trim() === "") return value === undefined ? undefined : null;
  return normaliseDestination(value, field, appSchemes);
}

function readMaxClicks(value: number | null | undefined): number | null | undefined {
  // Written so that NaN is refused too.
  if (typeof value === "number" && !(Number.isInteger(value) && value >= 1 && value <= maxClicksMax)) {
    throw invalid("maxClicks", `must be a whole number from 1 to ${maxClicksMax}.`);
  }
  return value;
}

/** JSON of upper-case country to url, by country; null for an empty object. */
function readGeo(geo: LinkFields["geo"], appSchemes: readonly string[]): Text {
  if (geo === undefined || geo === null) return geo;
  const entries = Object.entries(geo).map(([country, url]): [string, string] => {
    const code = country.toUpperCase();
    if (continentOf(code) === "") throw invalid(`geo.${country}`, "must be an ISO 3166-1 country code such as DE.");
    return [code, normaliseDestination(url, `geo.${country}`, appSchemes)];
  });
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  const json = JSON.stringify(Object.fromEntries(entries));
  if (json.length > geoCharactersMax) throw invalid("geo", `may have at most ${geoCharactersMax} characters together.`);
  return entries.length === 0 ? null : json;
}

function readTestVariants(variants: LinkFields["testVariants"], appSchemes: readonly string[]): Text {
  if (variants === undefined || variants === null) return variants;
  if (variants.length < testVariantsMin || variants.length > testVariantsMax) {
    throw invalid("testVariants", `must be from ${testVariantsMin} to ${testVariantsMax} variants.`);
  }
  const read = variants.map(({ url, percentage }, index) => {
    // Written so that NaN is refused too.
    if (!(percentage >= testPercentageMin && percentage <= testPercentageMax)) {
      throw invalid(`testVariants.${index}.percentage`, `must be from ${testPercentageMin} to ${testPercentageMax}.`);
    }
    return { url: normaliseDestination(url, `testVariants.${index}.url`, appSchemes), percentage };
  });
  return JSON.stringify(read);
}

/** The utm fields and ref of an input: trimmed, "" as null. */
function readQueryEdit(input: LinkFields): QueryEdit {
  const edit: QueryEdit = {};
  for (const field of [...utmFields, "ref"] as const) {
    const value = input[field]?.trim();
    if (value !== undefined && value.length > textMax.utm) {
      throw invalid(field, `may have at most ${textMax.utm} characters.`);
    }
    if (input[field] !== undefined) edit[field] = value === undefined || value === "" ? null : value;
  }
  return edit;
}
