import { invalid } from "../base/problem.ts";
import type { DomainsTable, Flag } from "../database/schema.ts";

/** Characters of a url that links fall back to. */
export const urlCharactersMax = 32_000;
/** Of the example shown where a destination is to be written. */
export const placeholderCharactersMax = 100;
/** Of a logo as a data URL: 48 KiB of image, plenty for the middle of a QR code. Every listing carries it. */
export const logoCharactersMax = 64 * 1024;
/** Of each association file; Apple reads no more than 128 KiB. */
export const associationCharactersMax = 128 * 1024;

/** What an owner decides about a domain, as stored. */
export type DomainSettings = Pick<
  DomainsTable,
  | "archived"
  | "caseSensitive"
  | "honorDoNotTrack"
  | "placeholder"
  | "expiredUrl"
  | "notFoundUrl"
  | "logo"
  | "assetLinks"
  | "appleAppSiteAssociation"
>;

/** A domain nobody has decided anything about. */
export const defaultSettings: DomainSettings = {
  archived: 0,
  caseSensitive: 0,
  honorDoNotTrack: 0,
  placeholder: null,
  expiredUrl: null,
  notFoundUrl: null,
  logo: null,
  assetLinks: null,
  appleAppSiteAssociation: null,
};

/** The settings that callers may change at any time. */
type Setting = Exclude<keyof DomainSettings, "caseSensitive">;

/** Settings as a caller writes them: what is absent stays, null or an empty text clears. */
export type SettingsInput = {
  [Name in Setting]?: (DomainSettings[Name] extends Flag ? boolean : string) | NullFor<Name> | undefined;
};
/** `archived` alone is either true or false. */
type NullFor<Name extends Setting> = Name extends "archived" ? never : null;

/** TABLE of settings and how each becomes its column; undefined leaves it. It does not compile without each of them. */
const settingReaders: { [Name in Setting]: (value: SettingsInput[Name]) => DomainSettings[Name] | undefined } = {
  archived: optionalFlag,
  honorDoNotTrack: optionalFlag,
  placeholder: (value) => optionalText(value, "placeholder", readPlaceholder),
  expiredUrl: (value) => optionalText(value, "expiredUrl", readFallbackUrl),
  notFoundUrl: (value) => optionalText(value, "notFoundUrl", readFallbackUrl),
  logo: (value) => optionalText(value, "logo", readLogo),
  assetLinks: (value) => optionalText(value, "assetLinks", readAssociation),
  appleAppSiteAssociation: (value) => optionalText(value, "appleAppSiteAssociation", readAssociation),
};
// The keys of the table, by its type.
const settingNames = Object.keys(settingReaders) as Setting[];

/** The stored form of the settings given, and of no others. Throws "unprocessable_entity" naming the field. */
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

/** A boolean as the tables hold it. */
export function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0;
}

const flags: readonly string[] = ["archived", "caseSensitive", "honorDoNotTrack", "primary", "isInstance"];

/** Columns of a domain as JSON shows them: flags become booleans. */
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

/** A url as it was written, with https:// in front when it has no scheme. */
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
    throw invalid(field, "must be text that holds JSON.");
  }
  return text;
}

/** Whether a text is an http or https URL. No spaces or control characters either: the URL parser drops some of them silently, a header cannot hold others. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s\x00-\x1f\x7f]+$/i.test(text) && URL.canParse(text);
}

function requireLength(text: string, charactersMax: number, field: string): string {
  if (text.length > charactersMax) throw invalid(field, `must have at most ${charactersMax} characters.`);
  return text;
}
