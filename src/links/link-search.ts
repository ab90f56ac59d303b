import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { invalid } from "../base/problem.ts";
import { type Db, type Engine, engineOf } from "../database/database.ts";
import {
  afterDomain,
  beforeKey,
  domainTokenCharacters,
  inTrigramText,
  lowerAscii,
  searchedUrl,
  type TrigramGroups,
  trigramExpression,
  trigramText,
} from "../database/link-search.ts";
import type { DomainsTable, Schema } from "../database/schema.ts";
import { foldKey } from "./key.ts";

/**
 * What a search finds: links whose short link or url holds the text, in any case.
 *
 * 1. One or two characters match the beginning of the key alone; they are in nearly every url.
 * 2. A short link is domain, slash and key. Its scheme and port do not matter, so that a pasted one is found.
 * 3. searchCondition decides. The trigrams only say where to look; they leave out no link that the condition accepts.
 */

/** SQLite refuses patterns above 50,000 bytes; nobody searches for a page of text. */
export const searchCharactersMax = 1_000;
/** Domains of a workspace whose names are looked through. Known weakness: further ones are found by key and url only. */
const domainsSearchedMax = 1_000;
/** The fewest characters that are looked for inside of texts. */
const insideCharactersMin = 3;

const links = expressionBuilder<Pick<Schema, "links">, "links">();

/** What a search looks for. */
export type LinkSearch = {
  /** A link matches whose key has one of them inside. */
  inKey: string[];
  /** A link matches whose url has one of them inside. */
  inUrl: string[];
  /** A link on one of the domains matches whose key begins with one of the texts; undefined means any domain. */
  keyStart: { texts: string[]; domainIds: string[] | undefined } | undefined;
  /** All links on these domains match. */
  onDomains: string[];
  /** Whether keys of some domain keep the case in which they were written. */
  keepsCase: boolean;
  engine: Engine;
};

/** What the text of a caller looks for, undefined for an empty one. Throws "unprocessable_entity" beyond the bound. */
export async function readSearch(db: Db, workspaceId: number, search: string): Promise<LinkSearch | undefined> {
  const text = search.trim();
  if (text === "") return undefined;
  if (text.length > searchCharactersMax) throw invalid("search", `may have at most ${searchCharactersMax} characters.`);
  const domains = await searchedDomains(db, workspaceId);
  const keepsCase = domains.some(({ caseSensitive }) => caseSensitive === 1);
  const keyForms = (part: string) => (keepsCase ? casesOf(part) : [foldKey(part, false)]);
  const compared = { keepsCase, engine: engineOf(db) };
  if (lengthOf(text) < insideCharactersMin) {
    const keyStart = { texts: keyForms(text), domainIds: undefined };
    return { inKey: [], inUrl: [], keyStart, onDomains: [], ...compared };
  }
  const inUrl = formsInUrl(text);
  const place = placeOf(text);
  const host = foldKey(place, false);
  if (lengthOf(place) < insideCharactersMin) {
    const onDomains = place === "" ? [] : idsOf(domains, (slug) => slug.includes(host));
    const keyStart = place === "" ? undefined : { texts: keyForms(place), domainIds: undefined };
    return { inKey: [], inUrl, keyStart, onDomains, ...compared };
  }
  const inKey = keyForms(place);
  const slash = place.indexOf("/");
  if (slash === -1) {
    const onDomains = idsOf(domains, (slug) => slug.includes(host));
    return { inKey, inUrl, keyStart: undefined, onDomains, ...compared };
  }
  const ending = foldKey(place.slice(0, slash), false);
  const start = place.slice(slash + 1);
  const domainIds = ending === "" ? undefined : idsOf(domains, (slug) => slug.endsWith(ending));
  const isDomain = start === "" && domainIds !== undefined;
  const keyStart = start === "" || domainIds?.length === 0 ? undefined : { texts: keyForms(start), domainIds };
  return { inKey, inUrl, keyStart, onDomains: isDomain ? domainIds : [], ...compared };
}

/** Whether a link matches, as a condition on its row. */
export function searchCondition(search: LinkSearch): Expression<SqlBool> {
  return links.or(searchAlternatives(search));
}

/**
 * Conditions on a link's row, of which one or several hold where it matches. On PostgreSQL each has an index that knows
 * all a list asks of it; asked for both at once, it reads every link with such a beginning.
 */
export function searchAlternatives(search: LinkSearch): Expression<SqlBool>[] {
  const { keyStart, onDomains, engine } = search;
  const inside = engine === "postgres" ? insideByTrigrams(search) : insideByLike(search);
  // SQLite's like takes no notice of the case of ASCII, PostgreSQL's does.
  const like = engine === "postgres" && search.keepsCase ? "ilike" : "like";
  const starts = (keyStart?.texts ?? []).map((text) => {
    const isStart = sql<SqlBool>`"foldedKey" ${sql.raw(like)} ${`${literally(text)}%`} escape '\\'`;
    const domainIds = keyStart?.domainIds;
    return domainIds === undefined ? isStart : links.and([links("links.domainId", "in", domainIds), isStart]);
  });
  // A search that means all links of a domain fills a page from the newest on.
  if (onDomains.length > 0) return [links.or([links("links.domainId", "in", onDomains), ...starts, ...inside])];
  return [inside, starts].flatMap((conditions) => (conditions.length === 0 ? [] : [links.or(conditions)]));
}

function insideByLike({ inKey, inUrl }: LinkSearch): Expression<SqlBool>[] {
  const has = (text: string, part: string) => sql<SqlBool>`${sql.raw(text)} like ${`%${literally(part)}%`} escape '\\'`;
  return [...inKey.map((part) => has(`"foldedKey"`, part)), ...inUrl.map((part) => has(searchedUrl, part))];
}

/**
 * PostgreSQL finds the links by the last condition in its index of trigrams, or goes from the newest link on, whichever
 * it expects to be quicker; the conditions before it decide. They are not LIKE, because of two such conditions it would
 * expect the product: a millionth of the links where a thousandth match.
 */
function insideByTrigrams({ inKey, inUrl }: LinkSearch): Expression<SqlBool>[] {
  const inLowerKey = inKey.map(lowerAscii);
  return [...new Set([...inLowerKey, ...inUrl])].map((part) => {
    const has = (text: string) => sql<SqlBool>`strpos(${sql.raw(text)}, ${part}) > 0`;
    const exact = [
      ...(inLowerKey.includes(part) ? [has(`lower("foldedKey")`)] : []),
      ...(inUrl.includes(part) ? [has(searchedUrl)] : []),
    ];
    const pattern = `%${literally(inTrigramText(part))}%`;
    return sql<SqlBool>`((${sql.join(exact, sql` or `)}) and ${sql.raw(trigramText)} like ${pattern})`;
  });
}

/** Where SQLite's index of trigrams has the matches. */
export function searchExpression({ inKey, inUrl, keyStart, onDomains }: LinkSearch): string {
  const groups = [...new Set([...inKey, ...inUrl])].map((text) => [text]);
  for (const text of keyStart?.texts ?? []) {
    const start = beforeKey + text;
    if (keyStart?.domainIds === undefined) groups.push([start]);
    else groups.push(...keyStart.domainIds.map((id) => [start, domainToken(id)]));
  }
  groups.push(...onDomains.map((id) => [domainToken(id)]));
  return trigramExpression(groups satisfies TrigramGroups);
}

function domainToken(domainId: string): string {
  return afterDomain + domainId.slice(-domainTokenCharacters) + afterDomain;
}

/** People paste a short link from the address bar: without its scheme and port it is slug, slash and key. */
function placeOf(text: string): string {
  const bare = text.replace(/^https?:\/\//i, "").replace(/^([^/:]+):\d+(?=\/|$)/, "$1");
  return foldKey(withAsciiHost(decoded(bare)), true);
}

/** Browsers copy a key's letters percent-encoded; neither a key nor a slug has a percent sign of its own. */
function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    // PostgreSQL takes no NUL.
    return plain.includes("\0") ? text : plain;
  } catch {
    // No encoding of anything, such as "50%".
    return text;
  }
}

/**
 * A domain that tells cases apart keeps keys as they are written. The databases take no notice of the case of ASCII;
 * other letters are found in the case they were typed in, in lower case, and in upper case.
 */
function casesOf(text: string): string[] {
  const written = foldKey(text, true);
  const upper = Array.from(written, (character) => {
    const letter = character.toUpperCase();
    return letter.length === character.length ? letter : character;
  });
  return [...new Set([foldKey(written, false), written, upper.join("")])];
}

/** Domains are stored in punycode; a key of other letters is left alone. */
function withAsciiHost(text: string): string {
  const slash = text.indexOf("/");
  const host = slash === -1 ? text : text.slice(0, slash);
  if (slash === -1 || /^[\0-\x7f]*$/.test(host) || !URL.canParse(`http://${host}`)) return text;
  return new URL(`http://${host}`).host + text.slice(slash);
}

/**
 * Urls are stored as they were written, percent-encoded or not. The databases lower ASCII alone, so that other letters
 * are found in the case they were typed in, or in lower case.
 */
function formsInUrl(text: string): string[] {
  const encoded = text.replace(/[^\0-\x7f]+/g, (part) => encodeURIComponent(part.toWellFormed()));
  return [...new Set([lowerAscii(text), text.toLowerCase(), encoded.toLowerCase()])];
}

async function searchedDomains(
  db: Db,
  workspaceId: number,
): Promise<Pick<DomainsTable, "id" | "slug" | "caseSensitive">[]> {
  return await db
    .selectFrom("domains")
    .select(["id", "slug", "caseSensitive"])
    .where((where) => where.or([where("workspaceId", "=", workspaceId), where("isInstance", "=", 1)]))
    .orderBy("id")
    .limit(domainsSearchedMax)
    .execute();
}

function idsOf(domains: readonly { id: string; slug: string }[], isMeant: (slug: string) => boolean): string[] {
  return domains.filter(({ slug }) => isMeant(slug)).map(({ id }) => id);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The text in a LIKE pattern, its % and _ meaning themselves. */
function literally(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
