import { invalid } from "../base/problem.ts";
import type { DomainsTable, Flag } from "../database/schema.ts";

/** Characters of a fallback URL. */
export const urlCharactersMax = 32_000;
/** Characters of the example in the form of a new link. */
export const placeholderCharactersMax = 100;
/**
 * Characters of a logo as a data URL: 48 KiB of image, enough for the middle of a QR code. Every listing carries it.
 */
export const logoCharactersMax = 64 * 1024;
/** Characters of each association file; Apple reads no more than 128 KiB. */
export const associationCharactersMax = 128 * 1024;

/** The longest max-age of HSTS: two years, which the preload list recommends. */
export const hstsSecondsMax = 2 * 365 * 24 * 60 * 60;

/** The settings of a domain, as stored. */
export type DomainSettings = Pick<
  DomainsTable,
  | "archived"
  | "caseSensitive"
  | "honorDoNotTrack"
  | "httpsRedirect"
  | "hstsMaxAgeSeconds"
  | "placeholder"
  | "expiredUrl"
  | "notFoundUrl"
  | "logo"
  | "assetLinks"
  | "appleAppSiteAssociation"
>;

/** The settings of a new domain. */
export const defaultSettings: DomainSettings = {
  archived: 0,
  caseSensitive: 0,
  honorDoNotTrack: 0,
  httpsRedirect: 1,
  hstsMaxAgeSeconds: null,
  placeholder: null,
  expiredUrl: null,
  notFoundUrl: null,
  logo: null,
  assetLinks: null,
  appleAppSiteAssociation: null,
};

/** A setting that callers may change at any time. */
type Setting = Exclude<keyof DomainSettings, "caseSensitive">;

/** Settings as a caller writes them: an absent one stays, null or an empty text restores the default. */
export type SettingsInput = {
  [Name in Setting]?: Written<DomainSettings[Name]> | NullFor<Name> | undefined;
};
type Written<Column> = Column extends Flag ? boolean : Exclude<Column, null>;
/** `archived` is never null. */
type NullFor<Name extends Setting> = Name extends "archived" ? never : null;

/** TABLE of settings and how each becomes its column; undefined leaves it. An omission does not compile. */
const settingReaders: { [Name in Setting]: (value: SettingsInput[Name]) => DomainSettings[Name] | undefined } = {
  archived: optionalFlag,
  honorDoNotTrack: optionalFlag,
  httpsRedirect: (value) => (value === undefined ? undefined : flag(value !== false)),
  hstsMaxAgeSeconds: (value) => value,
  placeholder: (value) => optionalText(value, "placeholder", readPlaceholder),
  expiredUrl: (value) => optionalText(value, "expiredUrl", readFallbackUrl),
  notFoundUrl: (value) => optionalText(value, "notFoundUrl", readFallbackUrl),
  logo: (value) => optionalText(value, "logo", readLogo),
  assetLinks: (value) => optionalText(value, "assetLinks", readAssociation),
  appleAppSiteAssociation: (value) => optionalText(value, "appleAppSiteAssociation", readAssociation),
};
// The keys of the table, by its type.
const settingNames = Object.keys(settingReaders) as Setting[];

/** The columns of the given settings only. Throws "unprocessable_entity" and names the field. */
export function readSettings(input: SettingsInput): Partial<DomainSettings> {
  const settings: Partial<DomainSettings> = {};
  for (const name of settingNames) readSetting(settings, name, input);
  return settings;
}

function readSetting<Name extends Setting>(settings: Partial<DomainSettings>, name: Name, input: SettingsInput): void {
  const column = settingReaders[name](input[name]);
  if (column !== undefined) settings[name] = column;
}

function optionalFlag(value: boolean | null | undefined): Flag | undefined {
  return value === undefined ? undefined : flag(value === true);
}

function optionalText(
  value: string | null | undefined,
  field: Setting,
  read: (text: string, field: string) => string,
): string | null | undefined {
  if (value === undefined) return undefined;
  const trimmed = value?.trim() ?? "";
  return trimmed === "" ? null : read(trimmed, field);
}

/** A boolean as the tables store it. */
export function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0;
}

const flags: readonly string[] = [
  "archived",
  "caseSensitive",
  "honorDoNotTrack",
  "httpsRedirect",
  "primary",
  "isInstance",
];

/** The columns of a domain as JSON shows them: flags become booleans. */
export function asJson(columns: Partial<DomainsTable>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [name, flags.includes(name) ? value === 1 : value]),
  );
}

function readPlaceholder(text: string, field: string): string {
  requireLength(text, placeholderCharactersMax, field);
  if (!isWebUrl(text)) throw invalid(field, "must be an http or https URL such as https://example.com/a-long-page.");
  return text;
}

/** The URL as written, with https:// before it when it has no scheme. */
function readFallbackUrl(text: string, field: string): string {
  const url = /^[^\s/:?#]+\.[^\s]+$/.test(text) ? `https://${text}` : text;
  requireLength(url, urlCharactersMax, field);
  if (!isWebUrl(url)) throw invalid(field, "must be an http or https URL such as https://example.com/gone.");
  return url;
}

function readLogo(text: string, field: string): string {
  requireLength(text, logoCharactersMax, field);
  const isImage = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!isImage && !isWebUrl(text)) {
    throw invalid(field, "must be an image as a data URL (PNG, JPEG, GIF or WebP in base64), or an http or https URL.");
  }
  return text;
}

function readAssociation(text: string, field: string): string {
  requireLength(text, associationCharactersMax, field);
  try {
    JSON.parse(text);
  } catch {
    throw invalid(field, "must be text that contains JSON.");
  }
  return text;
}

/**
 * True for an http or https URL without spaces and control characters: the URL parser drops some of them silently, and
 * a header cannot hold others.
 */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s\x00-\x1f\x7f]+$/i.test(text) && URL.canParse(text);
}

function requireLength(text: string, charactersMax: number, field: string): string {
  if (text.length > charactersMax) throw invalid(field, `must have at most ${charactersMax} characters.`);
  return text;
}
