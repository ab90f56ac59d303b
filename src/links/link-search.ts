import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { invalid } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import {
  afterDomain,
  beforeKey,
  domainTokenCharacters,
  searchedUrl,
  type TrigramGroups,
  trigramExpression,
} from "../database/link-search.ts";
import type { Schema } from "../database/schema.ts";
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

/** What a search looks for. */
export type LinkSearch = {
  /** Folded; a link matches whose key has it inside. */
  inKey: string | undefined;
  /** A link matches whose url has one of them inside. */
  inUrl: string[];
  /** A link on one of the domains matches whose key begins so; undefined means any domain. */
  keyStart: { text: string; domainIds: string[] | undefined } | undefined;
  /** All links on these domains match. */
  onDomains: string[];
};

/** What the text of a caller looks for, undefined for an empty one. Throws "unprocessable_entity" beyond the bound. */
export async function readSearch(db: Db, workspaceId: number, search: string): Promise<LinkSearch | undefined> {
  const text = search.trim();
  if (text === "") return undefined;
  if (text.length > searchCharactersMax) throw invalid("search", `may have at most ${searchCharactersMax} characters.`);
  const place = placeOf(text);
  if (lengthOf(text) < insideCharactersMin) {
    const start = foldKey(text, false);
    return { inKey: undefined, inUrl: [], keyStart: { text: start, domainIds: undefined }, onDomains: [] };
  }
  const domains = await searchedDomains(db, workspaceId);
  const inUrl = formsInUrl(text);
  if (lengthOf(place) < insideCharactersMin) {
    const onDomains = place === "" ? [] : idsOf(domains, (slug) => slug.includes(place));
    const keyStart = place === "" ? undefined : { text: place, domainIds: undefined };
    return { inKey: undefined, inUrl, keyStart, onDomains };
  }
  const slash = place.indexOf("/");
  if (slash === -1) {
    return { inKey: place, inUrl, keyStart: undefined, onDomains: idsOf(domains, (slug) => slug.includes(place)) };
  }
  const ending = place.slice(0, slash);
  const start = place.slice(slash + 1);
  const domainIds = ending === "" ? undefined : idsOf(domains, (slug) => slug.endsWith(ending));
  const isDomain = start === "" && domainIds !== undefined;
  const keyStart = start === "" || domainIds?.length === 0 ? undefined : { text: start, domainIds };
  return { inKey: place, inUrl, keyStart, onDomains: isDomain ? domainIds : [] };
}

/** Whether a link matches, as a condition on its row. */
export function searchCondition({ inKey, inUrl, keyStart, onDomains }: LinkSearch): Expression<SqlBool> {
  const links = expressionBuilder<Pick<Schema, "links">, "links">();
  const alternatives: Expression<SqlBool>[] = [];
  if (inKey !== undefined) alternatives.push(sql<SqlBool>`"foldedKey" like ${`%${literally(inKey)}%`} escape '\\'`);
  for (const form of inUrl) {
    alternatives.push(sql<SqlBool>`${sql.raw(searchedUrl)} like ${`%${literally(form)}%`} escape '\\'`);
  }
  if (keyStart !== undefined) {
    const starts = sql<SqlBool>`"foldedKey" like ${`${literally(keyStart.text)}%`} escape '\\'`;
    const { domainIds } = keyStart;
    alternatives.push(domainIds === undefined ? starts : links.and([links("links.domainId", "in", domainIds), starts]));
  }
  if (onDomains.length > 0) alternatives.push(links("links.domainId", "in", onDomains));
  return links.or(alternatives);
}

/** Where SQLite's index of trigrams has the matches. */
export function searchExpression({ inKey, inUrl, keyStart, onDomains }: LinkSearch): string {
  const inside = new Set(inKey === undefined ? inUrl : [inKey, ...inUrl]);
  const groups = [...inside].map((text) => [text]);
  if (keyStart !== undefined) {
    const start = beforeKey + keyStart.text;
    if (keyStart.domainIds === undefined) groups.push([start]);
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
  return foldKey(withAsciiHost(bare), false);
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
  return [
    ...new Set([text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()), text.toLowerCase(), encoded.toLowerCase()]),
  ];
}

async function searchedDomains(db: Db, workspaceId: number): Promise<{ id: string; slug: string }[]> {
  return await db
    .selectFrom("domains")
    .select(["id", "slug"])
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
