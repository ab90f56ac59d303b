import type { Selectable } from "kysely";
import { invalid, notFound } from "../base/problem.ts";
import { continentOf } from "../clicks/continents.ts";
import type { Flag, LinksTable } from "../database/schema.ts";
import { rootKey } from "../domains/domains.ts";
import {
  normaliseDestination,
  type QueryEdit,
  readUtm,
  type UtmValues,
  utmFields,
  writeQuery,
} from "./destination-url.ts";

/** A link as the rest of the program sees it: structured values parsed, the password only as shownPassword. */
export type Link = UtmValues & {
  id: string;
  workspaceId: number;
  userId: string | null;
  domainId: string;
  /** The domain's slug. */
  domain: string;
  isOnInstanceDomain: boolean;
  key: string;
  foldedKey: string;
  /** "" for a root link that leads nowhere. */
  url: string;
  externalId: string | null;
  tenantId: string | null;
  programId: string | null;
  partnerId: string | null;
  folderId: string | null;
  comments: string | null;
  title: string | null;
  description: string | null;
  image: string | null;
  video: string | null;
  password: typeof shownPassword | null;
  /** Instants are milliseconds since the epoch. */
  startsAt: number | null;
  expiresAt: number | null;
  expiredUrl: string | null;
  disabledAt: number | null;
  redirectStatus: RedirectStatus | null;
  ios: string | null;
  android: string | null;
  geo: Record<string, string> | null;
  testVariants: TestVariant[] | null;
  testStartedAt: number | null;
  testCompletedAt: number | null;
  archived: boolean;
  proxy: boolean;
  rewrite: boolean;
  doIndex: boolean;
  publicStats: boolean;
  trackConversion: boolean;
  clicks: number;
  lastClicked: number | null;
  createdAt: number;
  updatedAt: number;
};

/** One of several destinations, and the share of visitors it gets, in percent. */
export type TestVariant = { url: string; percentage: number };

/** The HTTP statuses a link may redirect with. */
export const redirectStatuses = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

/** What stands for a password in every answer and event; sent back it changes nothing. */
export const shownPassword = "********";

/** TABLE of text bounds, in characters. The API refuses what is longer before the rules see it. */
export const textMax = {
  externalId: 255,
  tenantId: 255,
  programId: 255,
  partnerId: 255,
  comments: 10_000,
  /** As long as a user's password may be; argon2id hashes any length, but a body of megabytes costs time. */
  password: 1_000,
  /** A data url of a preview image; enough for 750 KB. */
  image: 1_000_000,
  video: 32_000,
  utm: 255,
} as const;

/** Bounds of what a link holds: characters of texts, number of variants, and their percentages. */
export const titleCharactersMax = 120;
export const descriptionCharactersMax = 240;
export const testVariantsMin = 2;
export const testVariantsMax = 4;
export const testPercentageMin = 10;
export const testPercentageMax = 90;

type Text = string | null | undefined;
type Switch = boolean | undefined;

/** The fields a caller may set on any link. Absent or undefined leaves a field alone, null clears it. */
export type LinkFields = {
  domain?: string | undefined;
  key?: string | undefined;
  externalId?: Text;
  tenantId?: Text;
  programId?: Text;
  partnerId?: Text;
  comments?: Text;
  title?: Text;
  description?: Text;
  image?: Text;
  video?: Text;
  password?: Text;
  startsAt?: number | null | undefined;
  expiresAt?: number | null | undefined;
  expiredUrl?: Text;
  redirectStatus?: RedirectStatus | null | undefined;
  ios?: Text;
  android?: Text;
  geo?: Record<string, string> | null | undefined;
  testVariants?: TestVariant[] | null | undefined;
  testStartedAt?: number | null | undefined;
  testCompletedAt?: number | null | undefined;
  utm_source?: Text;
  utm_medium?: Text;
  utm_campaign?: Text;
  utm_term?: Text;
  utm_content?: Text;
  ref?: Text;
  archived?: Switch;
  proxy?: Switch;
  rewrite?: Switch;
  doIndex?: Switch;
  publicStats?: Switch;
  trackConversion?: Switch;
  tagId?: Text;
  tagIds?: string[] | null | undefined;
  tagNames?: string[] | null | undefined;
  folderId?: Text;
};

/** What a caller decides about a link that is made. */
export type NewLink = LinkFields & {
  url: string;
  keyLength?: number | undefined;
  prefix?: string | undefined;
};

/** What a caller changes about a link; undefined leaves a field as it is, null clears it. */
export type LinkChanges = LinkFields & { url?: string | undefined };

type LinkRow = Selectable<LinksTable>;
/** A row with what its domain adds to it. */
export type StoredLink = LinkRow & { domain: string; isInstance: Flag; caseSensitive: Flag };

/** The columns that only fields decide: neither identity, place, password nor counters. */
export type FieldColumns = Omit<
  LinkRow,
  | ("id" | "workspaceId" | "userId" | "domainId" | "key" | "foldedKey" | "passwordHash" | "disabledAt")
  | ("clicks" | "lastClicked" | "createdAt" | "updatedAt")
>;

/** Every field as it is on a new link that sets nothing. */
export const unsetFields: FieldColumns = {
  url: "",
  externalId: null,
  tenantId: null,
  programId: null,
  partnerId: null,
  folderId: null,
  comments: null,
  title: null,
  description: null,
  image: null,
  video: null,
  startsAt: null,
  expiresAt: null,
  expiredUrl: null,
  redirectStatus: null,
  ios: null,
  android: null,
  geo: null,
  testVariants: null,
  testStartedAt: null,
  testCompletedAt: null,
  utm_source: null,
  utm_medium: null,
  utm_campaign: null,
  utm_term: null,
  utm_content: null,
  archived: 0,
  proxy: 0,
  rewrite: 0,
  doIndex: 0,
  publicStats: 0,
  trackConversion: 0,
};

/**
 * The columns of a link after `input` was applied to `before`, url and utm fields aside.
 * Throws "unprocessable_entity" naming the first bad field, "not_found" for a folder.
 */
export function applyFields(before: FieldColumns, input: LinkFields, appSchemes: readonly string[]): FieldColumns {
  refuseUnknownTagsAndFolders(input);
  const text = (field: TextField) => keptOr(before[field], boundedText(field, input[field]));
  const url = (field: "expiredUrl" | "ios" | "android") =>
    keptOr(before[field], optionalUrl(input[field], field, appSchemes));
  const flag = (field: FlagField) => keptOr(before[field], asFlag(input[field]));
  const after: FieldColumns = {
    ...before,
    externalId: keptOr(before.externalId, readExternalId(input.externalId)),
    tenantId: text("tenantId"),
    programId: text("programId"),
    partnerId: text("partnerId"),
    comments: text("comments"),
    title: keptOr(before.title, cut(input.title, titleCharactersMax)),
    description: keptOr(before.description, cut(input.description, descriptionCharactersMax)),
    image: keptOr(before.image, imageOrNull(boundedText("image", input.image))),
    video: text("video"),
    startsAt: keptOr(before.startsAt, input.startsAt),
    expiresAt: keptOr(before.expiresAt, input.expiresAt),
    expiredUrl: url("expiredUrl"),
    redirectStatus: keptOr(before.redirectStatus, input.redirectStatus),
    ios: url("ios"),
    android: url("android"),
    geo: keptOr(before.geo, readGeo(input.geo, appSchemes)),
    testVariants: keptOr(before.testVariants, readTestVariants(input.testVariants, appSchemes)),
    testStartedAt: keptOr(before.testStartedAt, input.testStartedAt),
    testCompletedAt: keptOr(before.testCompletedAt, input.testCompletedAt),
    archived: flag("archived"),
    proxy: flag("proxy"),
    rewrite: flag("rewrite"),
    doIndex: flag("doIndex"),
    publicStats: flag("publicStats"),
    trackConversion: flag("trackConversion"),
  };
  if (after.testVariants !== null && after.trackConversion === 0) {
    throw invalid("testVariants", "need trackConversion to be true.");
  }
  return after;
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

/** The text behind `ext_`, by which a caller names a link of its own; undefined for another identifier. */
export function externalIdOf(identifier: string): string | undefined {
  return identifier.startsWith(externalPrefix) ? identifier.slice(externalPrefix.length) : undefined;
}

/** The password to set, null to clear it, undefined to leave it. Throws for one that is too long. */
export function readPassword(password: Text): Text {
  if (password === shownPassword) return undefined;
  return boundedText("password", password);
}

/** The row with its domain, as a link. */
export function toLink(row: StoredLink): Link {
  const { isInstance, caseSensitive: _, passwordHash, geo, testVariants, redirectStatus, ...same } = row;
  return {
    ...same,
    isOnInstanceDomain: isInstance === 1,
    password: passwordHash === null ? null : shownPassword,
    // Both were written by applyFields, in these shapes.
    geo: geo === null ? null : (JSON.parse(geo) as Record<string, string>),
    testVariants: testVariants === null ? null : (JSON.parse(testVariants) as TestVariant[]),
    redirectStatus: redirectStatuses.find((status) => status === redirectStatus) ?? null,
    archived: row.archived === 1,
    proxy: row.proxy === 1,
    rewrite: row.rewrite === 1,
    doIndex: row.doIndex === 1,
    publicStats: row.publicStats === 1,
    trackConversion: row.trackConversion === 1,
  };
}

const externalPrefix = "ext_";

type TextField = "tenantId" | "programId" | "partnerId" | "comments" | "video";
type FlagField = "archived" | "proxy" | "rewrite" | "doIndex" | "publicStats" | "trackConversion";

function keptOr<Value>(before: Value, input: Value | undefined): Value {
  return input === undefined ? before : input;
}

function asFlag(value: Switch): Flag | undefined {
  if (value === undefined) return undefined;
  return value ? 1 : 0;
}

/** A text within its bound; "" clears, as null does. */
function boundedText(field: keyof typeof textMax, value: Text): Text {
  if (value === undefined || value === null || value === "") return value === undefined ? undefined : null;
  if (value.length > textMax[field]) throw invalid(field, `may have at most ${textMax[field]} characters.`);
  return value;
}

function readExternalId(value: Text): Text {
  if (value === undefined || value === null) return value;
  const externalId = externalIdOf(value) ?? value;
  if (externalId === "" || externalId.length > textMax.externalId) {
    throw invalid("externalId", `must have from 1 to ${textMax.externalId} characters.`);
  }
  return externalId;
}

/** At most `max` UTF-16 units, without half a surrogate pair at the end. */
function cut(value: Text, max: number): Text {
  if (value === undefined || value === null || value === "") return value === undefined ? undefined : null;
  return value.slice(0, max).replace(/[\ud800-\udbff]$/, "");
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

/** JSON of upper-case country to url, by country; null for an empty object. */
function readGeo(geo: LinkFields["geo"], appSchemes: readonly string[]): Text {
  if (geo === undefined || geo === null) return geo;
  const entries = Object.entries(geo).map(([country, url]): [string, string] => {
    const code = country.toUpperCase();
    if (continentOf(code) === "") throw invalid(`geo.${country}`, "must be an ISO 3166-1 country code such as DE.");
    return [code, normaliseDestination(url, `geo.${country}`, appSchemes)];
  });
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
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

/** Known weakness: there are neither tags nor folders yet, so every one named is unknown. */
function refuseUnknownTagsAndFolders({ tagId, tagIds, tagNames, folderId }: LinkFields): void {
  if (tagId !== undefined && tagId !== null && tagId !== "") throw invalid("tagId", "there is no such tag.");
  if ((tagIds ?? []).length > 0) throw invalid("tagIds", "there is no such tag.");
  if ((tagNames ?? []).length > 0) throw invalid("tagNames", "there is no such tag.");
  if (folderId !== undefined && folderId !== null && folderId !== "") throw notFound("folder");
}
