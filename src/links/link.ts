import type { Selectable } from "kysely";
import type { Flag, LinksTable } from "../database/schema.ts";
import type { UtmValues } from "./destination-url.ts";
import { foldKey } from "./key.ts";
import type { Rule } from "./link-rules.ts";
import type { Tag } from "./tags.ts";

/** A link as the rest of the program sees it: structured values parsed, the password only as passwordMask. */
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
  /** In the order they were assigned. */
  tags: Tag[];
  comments: string | null;
  title: string | null;
  description: string | null;
  image: string | null;
  video: string | null;
  password: typeof passwordMask | null;
  /** Instants are milliseconds since the epoch. */
  startsAt: number | null;
  expiresAt: number | null;
  expiredUrl: string | null;
  disabledAt: number | null;
  /** Clicks after which it is used up. */
  maxClicks: number | null;
  redirectStatus: RedirectStatus | null;
  forwardPath: boolean;
  rules: Rule[] | null;
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
export const passwordMask = "********";

/** TABLE of text bounds, in characters. The API refuses what is longer before the rules see it. */
export const textMax = {
  externalId: 255,
  tenantId: 255,
  programId: 255,
  partnerId: 255,
  comments: 10_000,
  /** As long as a user's password may be; argon2id hashes any length, but a body of megabytes costs time. */
  password: 1_000,
  /** A data url of some 73 KiB of preview image: each of the links in a listing carries it. */
  image: 100_000,
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
/** Of all destinations by country together, as JSON. */
export const geoCharactersMax = 64 * 1024;
/** Clicks a link can be limited to. */
export const maxClicksMax = 1_000_000_000;

/** The fields of a link that no caller sets by their own name. */
export type ReadOnlyField =
  | ("id" | "workspaceId" | "userId" | "domainId" | "isOnInstanceDomain" | "foldedKey")
  | ("clicks" | "lastClicked" | "createdAt" | "updatedAt");

/** The fields of a link that hold instants. */
export const instantFields = [
  ...(["startsAt", "expiresAt", "disabledAt", "testStartedAt", "testCompletedAt"] as const),
  ...(["lastClicked", "createdAt", "updatedAt"] as const),
] satisfies (keyof Link)[];

type Text = string | null | undefined;

/**
 * The fields a caller may set on any link: all that are not ReadOnlyField, so that a new field of Link is a field that can
 * be written, stored and reverted. Absent or undefined leaves a field alone, null clears it.
 */
export type LinkFields = {
  [Field in Exclude<keyof Link, ReadOnlyField | "url" | "tags" | "password" | "forwardPath">]?: Link[Field] | undefined;
} & {
  password?: Text;
  forwardPath?: boolean | null | undefined;
  tagId?: Text;
  tagIds?: string[] | null | undefined;
  tagNames?: string[] | null | undefined;
  ref?: Text;
  /** true sets disabledAt to now unless it has passed; false clears it. */
  disabled?: boolean | undefined;
};

/** What a caller decides about a link that is made. */
export type NewLink = LinkFields & {
  url: string;
  keyLength?: number | undefined;
  prefix?: string | undefined;
};

/** What a caller changes about a link; undefined leaves a field as it is, null clears it. */
export type LinkChanges = LinkFields & { url?: string | undefined };

type LinkColumns = Selectable<LinksTable>;
/** A row with what its domain adds to it. */
export type LinkWithDomain = LinkColumns & { domain: string; isInstance: Flag; caseSensitive: Flag };
/** All that is stored of a link. */
export type LinkRow = LinkWithDomain & { tags: Tag[] };

/** The columns that only fields decide: neither identity, place, folder, password nor counters. */
export type FieldColumns = Omit<
  LinkColumns,
  | ("id" | "workspaceId" | "userId" | "domainId" | "key" | "foldedKey" | "folderId" | "urlHash")
  | ("passwordHash" | "framing")
  | ("clicks" | "lastClicked" | "createdAt" | "updatedAt")
>;

/** Every field as it is on a new link that sets nothing. */
export const defaultFields: FieldColumns = {
  url: "",
  externalId: null,
  tenantId: null,
  programId: null,
  partnerId: null,
  comments: null,
  title: null,
  description: null,
  image: null,
  video: null,
  startsAt: null,
  expiresAt: null,
  expiredUrl: null,
  disabledAt: null,
  maxClicks: null,
  redirectStatus: null,
  forwardPath: 0,
  rules: null,
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

/** The columns that say where a link is to be found. */
export type KeyColumns = Pick<LinkRow, "domainId" | "domain" | "isInstance" | "caseSensitive" | "key" | "foldedKey">;

/** The place of a key on a domain. */
export function keyColumns(
  { id, slug, isInstance, caseSensitive }: { id: string; slug: string; isInstance: Flag; caseSensitive: Flag },
  key: string,
): KeyColumns {
  return { domainId: id, domain: slug, isInstance, caseSensitive, key, foldedKey: foldKey(key, caseSensitive === 1) };
}

/** The text behind `ext_`, by which a caller names a link of its own; undefined for another identifier. */
export function externalIdOf(identifier: string): string | undefined {
  return identifier.startsWith(externalPrefix) ? identifier.slice(externalPrefix.length) : undefined;
}

/** The row with its domain, as a link. */
export function toLink(row: LinkRow): Link {
  const {
    isInstance,
    caseSensitive: _,
    urlHash: __,
    framing: ___,
    passwordHash,
    geo,
    testVariants,
    redirectStatus,
    rules,
    ...same
  } = row;
  return {
    ...same,
    isOnInstanceDomain: isInstance === 1,
    password: passwordHash === null ? null : passwordMask,
    // All three were written by applyFields, in these shapes.
    geo: geo === null ? null : (JSON.parse(geo) as Record<string, string>),
    testVariants: testVariants === null ? null : (JSON.parse(testVariants) as TestVariant[]),
    rules: rules === null ? null : (JSON.parse(rules) as Rule[]),
    forwardPath: row.forwardPath === 1,
    redirectStatus: redirectStatuses.find((status) => status === redirectStatus) ?? null,
    archived: row.archived === 1,
    proxy: row.proxy === 1,
    rewrite: row.rewrite === 1,
    doIndex: row.doIndex === 1,
    publicStats: row.publicStats === 1,
    trackConversion: row.trackConversion === 1,
  };
}

/** What tells a link from all others, and where it leads. */
export type LinkSummary = Pick<Link, "id" | "workspaceId" | "domainId" | "domain" | "key" | "url" | "createdAt">;

/** A link that sets nothing but these. */
export function linkFromSummary(known: LinkSummary): Link {
  const { key: foldedKey, createdAt: updatedAt } = known;
  const unset = {
    framing: null,
    userId: null,
    folderId: null,
    tags: [],
    passwordHash: null,
    urlHash: null,
  };
  const uncounted = { clicks: 0, lastClicked: null, isInstance: 0, caseSensitive: 0 } as const;
  return toLink({ ...defaultFields, ...unset, ...uncounted, ...known, foldedKey, updatedAt });
}

const externalPrefix = "ext_";
