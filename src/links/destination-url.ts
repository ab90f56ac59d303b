import { sha256 } from "../base/ids.ts";
import { invalid, Problem } from "../base/problem.ts";

/** Characters of a destination at most. */
export const urlCharactersMax = 32_000;

/** The most characters of a utm field, or of `ref`. */
export const utmCharactersMax = 255;

/** TABLE of utm fields, in the order in which they are written into a URL. */
export const utmFields = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
type UtmField = (typeof utmFields)[number];
export type UtmValues = Record<UtmField, string | null>;

/** Changes of a URL's query: a text sets a parameter, null removes it, undefined leaves it alone. */
export type QueryEdit = Partial<Record<UtmField | "ref", string | null | undefined>>;

const queryFields = [...utmFields, "ref"] as const;
type QueryField = (typeof queryFields)[number];

const webSchemes = ["http", "https"];
/** Schemes that would run or show what an author wrote under the name of the short domain. */
const neverSchemes = ["javascript", "data", "vbscript", "file", "blob"];

/**
 * A destination in its stored form: as written if it is a URL; with https:// before a host with a dot; and as WHATWG
 * serializes it if it holds characters that no header can carry (tabs, spaces, backslashes).
 * Throws "unprocessable_entity" for an unusable or too long text, "bad_request" for an empty one in the field url.
 */
export function normalizeDestination(text: string, field: string, appSchemes: readonly string[]): string {
  const written = text.trim();
  if (written === "") throw emptyUrl(field);
  if (written.length > urlCharactersMax) throw invalid(field, `must have at most ${urlCharactersMax} characters.`);
  const url = withScheme(written, appSchemes);
  if (url === undefined || !URL.canParse(url)) throw unusable(written, field, appSchemes);
  const stored = isPlain(url) ? url : new URL(url).href;
  if (stored.length > urlCharactersMax) throw invalid(field, `must have at most ${urlCharactersMax} characters.`);
  return stored;
}

/**
 * The URL with utm fields and `ref` set in its query or removed from it; the rest of the query stays as it is, and so
 * do parameters that already have their value. Added ones stand before the first that follows them in queryFields, or
 * else at the end.
 * Throws "unprocessable_entity" when the URL grows beyond urlCharactersMax.
 */
export function writeQuery(url: string, edit: QueryEdit): string {
  const [before = "", fragment] = splitOnce(url, "#");
  const [base = "", query] = splitOnce(before, "?");
  const pairs = query === undefined ? [] : query.split("&").map(readPair);
  const edited = editPairs(pairs, edit);
  if (sameItems(edited, pairs)) return url;
  const written = `${base}${edited.length === 0 ? "" : `?${edited.map(({ text }) => text).join("&")}`}${fragment === undefined ? "" : `#${fragment}`}`;
  // Serialized as by other tools: "https://example.com?a=1" gets a slash after the host.
  const href = new URL(written).href;
  if (href.length > urlCharactersMax) {
    throw invalid("url", `must have at most ${urlCharactersMax} characters including its UTM parameters.`);
  }
  return href;
}

/**
 * One of a link's other destinations with the utm values of the link; parameters that the destination sets itself stay.
 * Destinations that open an app stay as they are, and so does one that would grow too long.
 */
export function addUtm(url: string, utm: UtmValues): string {
  if (!/^https?:/i.test(url)) return url;
  const [before = ""] = splitOnce(url, "#");
  const [, query = ""] = splitOnce(before, "?");
  const own = new Set(query.split("&").map((pair) => readPair(pair).field));
  const missing = utmFields.filter((field) => utm[field] !== null && !own.has(field));
  const length = missing.reduce((sum, field) => sum + encodeURIComponent(`&${field}=${utm[field]}`).length, url.length);
  if (missing.length === 0 || length > urlCharactersMax) return url;
  return writeQuery(url, Object.fromEntries(missing.map((field) => [field, utm[field]])));
}

/** The destination with `rest`, which begins with a slash or is "", appended to its path. */
export function passPath(url: string, rest: string): string {
  if (rest === "") return url;
  const end = url.search(/[?#]/);
  const base = end === -1 ? url : url.slice(0, end);
  return `${base.endsWith("/") ? base.slice(0, -1) : base}${rest}${end === -1 ? "" : url.slice(end)}`;
}

/** The utm parameters in the URL's query; the first of several counts, an empty one is null. */
export function readUtm(url: string): UtmValues {
  const [before = ""] = splitOnce(url, "#");
  const [, query = ""] = splitOnce(before, "?");
  const values: UtmValues = {
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
  };
  for (const { field, text } of query.split("&").map(readPair).reverse()) {
    if (field === undefined || field === "ref") continue;
    const value = decodedValue(text);
    values[field] = value === "" ? null : value;
  }
  return values;
}

/**
 * A hash of 48 bits that finds a link by its URL, so that one column fits an index of both engines. Two URLs can share
 * a hash, so lookups compare the URL too. null for a root link without a destination.
 */
export function urlHashOf(url: string): number | null {
  return url === "" ? null : Number.parseInt(sha256(url).slice(0, 12), 16);
}

/** The API contract distinguishes an empty `url` from an unusable one; for other fields it does not. */
function emptyUrl(field: string): Problem {
  return field === "url" ? new Problem("bad_request", "url: must not be empty.") : invalid(field, "must not be empty.");
}

function withScheme(written: string, appSchemes: readonly string[]): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(written)?.[1]?.toLowerCase();
  if (scheme !== undefined && neverSchemes.includes(scheme)) return undefined;
  if (scheme !== undefined && [...webSchemes, ...appSchemes].includes(scheme)) return written;
  // "example.com:8080/page" looks as if its scheme were "example.com".
  const bare = written.replace(/^\/\//, "");
  return /^[^\s:/?#@\\]*\.[^\s:/?#@\\]*(:\d{1,5})?([/?#]|$)/.test(bare) ? `https://${bare}` : undefined;
}

/** The problem of a text that is no destination: the reason, if it is known, and what would be right. */
function unusable(written: string, field: string, appSchemes: readonly string[]): Problem {
  const scheme = schemeOf(written);
  if (scheme !== undefined && neverSchemes.includes(scheme)) {
    return invalid(field, `must not begin with "${scheme}:"; use a URL such as https://example.com/page.`);
  }
  if (scheme !== undefined && ![...webSchemes, ...appSchemes].includes(scheme)) {
    return invalid(
      field,
      `must not begin with "${scheme}:"; the operator allows ${schemeList(appSchemes)}, as in https://example.com/page.`,
    );
  }
  if (scheme === undefined && !written.includes(".")) {
    return invalid(field, "must be a full URL, such as https://example.com/page.");
  }
  return invalid(field, "must be a URL such as https://example.com/page.");
}

/** The scheme of a text in lower case; undefined for a text without one, such as "localhost:8080/page". */
function schemeOf(written: string): string | undefined {
  return /^([a-z][a-z0-9+.-]{0,31}):(?!\d{1,5}(?:[/?#]|$))\S/i.exec(written)?.[1]?.toLowerCase();
}

function schemeList(appSchemes: readonly string[]): string {
  return [...webSchemes, ...appSchemes].map((scheme) => `${scheme}:`).join(", ");
}

/**
 * True when a URL can be stored as written: it has the slashes of its scheme, and nothing that a URL parser removes.
 */
function isPlain(url: string): boolean {
  return !/[\s\x00-\x20\x7f\\]/.test(url) && (!/^https?:/i.test(url) || /^https?:\/\/[^/]/i.test(url));
}

/** A parameter of a query as written, and the field it sets, if any. */
type Pair = { text: string; field: QueryField | undefined };

/**
 * One pass, since a query of 32,000 characters can hold 16,000 parameters. The first of several parameters keeps its
 * place.
 */
function editPairs(pairs: readonly Pair[], edit: QueryEdit): Pair[] {
  const edited: Pair[] = [];
  const placed = new Set<QueryField>();
  for (const pair of pairs) {
    const { field } = pair;
    const value = field === undefined ? undefined : edit[field];
    if (field === undefined || value === undefined) edited.push(pair);
    else if (value !== null && !placed.has(field)) {
      placed.add(field);
      edited.push(decodedValue(pair.text) === value ? pair : writtenPair(field, value));
    }
  }
  for (const field of queryFields) {
    const value = edit[field];
    if (typeof value === "string" && !placed.has(field)) insertPair(edited, writtenPair(field, value));
  }
  return edited;
}

function insertPair(pairs: Pair[], added: Pair): void {
  const rank = rankOf(added);
  const next = pairs.findIndex((pair) => rankOf(pair) > rank);
  if (next !== -1) pairs.splice(next, 0, added);
  // Nothing follows the last "&".
  else pairs.splice(pairs.at(-1)?.text === "" ? -1 : pairs.length, 1, added);
}

/** The position of a pair's field in queryFields; -1 for other parameters. */
function rankOf({ field }: Pair): number {
  return field === undefined ? -1 : queryFields.indexOf(field);
}

/** A value that is encoded as itself; most are, and URLSearchParams takes longer than all other steps for a pair. */
const plainValue = /^[\w.*-]*$/;

function writtenPair(field: QueryField, value: string): Pair {
  if (plainValue.test(value)) return { text: `${field}=${value}`, field };
  return { text: new URLSearchParams([[field, value]]).toString(), field };
}

const knownNames = new Map(queryFields.map((field) => [field as string, field]));
const nameCharactersMax = Math.max(...queryFields.map((field) => field.length));

/** Reads only the name of a parameter. */
function readPair(text: string): Pair {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  // Percent-encoded, a character of a name takes three.
  if (name.length > 3 * nameCharactersMax) return { text, field: undefined };
  if (!name.includes("%")) return { text, field: knownNames.get(name) };
  const decoded = name.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { text, field: knownNames.get(decoded) };
}

/** The value of a parameter as WHATWG decodes it, without NUL, which PostgreSQL cannot store. */
function decodedValue(text: string): string {
  const [, written = ""] = splitOnce(text, "=");
  if (plainValue.test(written)) return written;
  const [[, value = ""] = []] = new URLSearchParams(`&${text}`);
  return value.replaceAll("\0", "");
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)];
}

function sameItems<Item>(some: readonly Item[], others: readonly Item[]): boolean {
  return some.length === others.length && some.every((item, index) => item === others[index]);
}
