import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { invalid } from "../base/problem.ts";
import { containsText } from "../database/contains-text.ts";
import type { Db } from "../database/database.ts";
import { type Engine, engineOf } from "../database/engine.ts";
import {
  afterDomain,
  beforeKey,
  domainTokenCharacters,
  inTrigramText,
  lowerAscii,
  searchedComments,
  searchedTitle,
  searchedUrl,
  type TrigramGroups,
  trigramExpression,
  trigramText,
} from "../database/link-search.ts";
import type { DomainsTable, Schema } from "../database/schema.ts";
import { foldKey } from "./key.ts";
import { foldName } from "./object-names.ts";

/**
 * Searches links: a link matches if its short link, its URL, its title, its comments, its folder's name or the name of
 * one of its tags contains the text, in any case.
 *
 * 1. One or two characters match only the beginning of the key or of a name; nearly every URL contains them.
 * 2. A short link is domain, slash and key. Its scheme and port do not matter, so that a pasted one is found.
 * 3. searchCondition decides about the texts of a link. The trigrams only narrow the rows; they leave out no link that
 *    the condition accepts.
 * 4. Names of tags and folders are looked up first; link-filter.ts finds their links by id.
 */

/** SQLite refuses patterns above 50,000 bytes, and a search never needs a page of text. */
export const searchCharactersMax = 1_000;
/**
 * Domains of a workspace whose names are searched. Known weakness: links of further ones are found by key and URL only.
 */
const domainsSearchedMax = 1_000;
/** Tags and folders whose links a search finds by name, the first by name of each. */
const namesFoundMax = 100;
/** Shorter texts match only the beginning of a key. */
const insideCharactersMin = 3;

const links = expressionBuilder<Pick<Schema, "links">, "links">();

/** A parsed search. */
export type LinkSearch = {
  /** Matches links whose key contains one of them. */
  inKey: string[];
  /** Matches links whose URL contains one of them. */
  inUrl: string[];
  /** Matches links whose title or comments contain one of them. */
  inNotes: string[];
  /** Matches links on one of the domains whose key begins with one of the texts; undefined means any domain. */
  keyStart: { texts: string[]; domainIds: string[] | undefined } | undefined;
  /** Matches all links on these domains. */
  onDomains: string[];
  /** Matches links with one of these tags or in one of these folders. */
  named: { tagIds: string[]; folderIds: string[] };
  /** True when a domain has case-sensitive keys. */
  keepsCase: boolean;
  engine: Engine;
};

/** Parses the text of a search; undefined for an empty one. Throws "unprocessable_entity" beyond searchCharactersMax. */
export async function readSearch(db: Db, workspaceId: number, search: string): Promise<LinkSearch | undefined> {
  const text = search.trim();
  if (text === "") return undefined;
  if (text.length > searchCharactersMax)
    throw invalid("search", `must have at most ${searchCharactersMax} characters.`);
  const domains = await searchedDomains(db, workspaceId);
  const keepsCase = domains.some(({ caseSensitive }) => caseSensitive === 1);
  const keyForms = (part: string) => (keepsCase ? casesOf(part) : [foldKey(part, false)]);
  const named = {
    tagIds: await idsByName(db, workspaceId, "tags", text),
    folderIds: await idsByName(db, workspaceId, "folders", text),
  };
  const compared = { keepsCase, engine: engineOf(db), named };
  if (lengthOf(text) < insideCharactersMin) {
    const keyStart = { texts: keyForms(text), domainIds: undefined };
    return { inKey: [], inUrl: [], inNotes: [], keyStart, onDomains: [], ...compared };
  }
  const inUrl = formsInUrl(text);
  const inNotes = formsInNotes(text);
  const plain = plainAddressOf(text);
  const address = foldKey(withAsciiHost(plain), true);
  const host = foldKey(address, false);
  if (lengthOf(address) < insideCharactersMin) {
    const onDomains = address === "" ? [] : idsOf(domains, (slug) => slug.includes(host));
    const keyStart = address === "" ? undefined : { texts: keyForms(address), domainIds: undefined };
    return { inKey: [], inUrl, inNotes, keyStart, onDomains, ...compared };
  }
  // The part before a slash is a domain or, in a key such as 東京/新宿, the beginning of the key.
  const addresses = [address, foldKey(plain, true)].filter((form) => lengthOf(form) >= insideCharactersMin);
  const inKey = [...new Set(addresses.flatMap(keyForms))];
  const slash = address.indexOf("/");
  if (slash === -1) {
    const onDomains = idsOf(domains, (slug) => slug.includes(host));
    return { inKey, inUrl, inNotes, keyStart: undefined, onDomains, ...compared };
  }
  const slugEnd = foldKey(address.slice(0, slash), false);
  const start = address.slice(slash + 1);
  const domainIds = slugEnd === "" ? undefined : idsOf(domains, (slug) => slug.endsWith(slugEnd));
  const isDomain = start === "" && domainIds !== undefined;
  const keyStart = start === "" || domainIds?.length === 0 ? undefined : { texts: keyForms(start), domainIds };
  return { inKey, inUrl, inNotes, keyStart, onDomains: isDomain ? domainIds : [], ...compared };
}

/** The condition on a link's row that says whether one of its texts matches. */
export function searchCondition(search: LinkSearch): Expression<SqlBool> {
  return links.or(searchAlternatives(search));
}

/**
 * Conditions on a link's row: one or several hold if one of its texts matches. On PostgreSQL, one index answers each condition;
 * combined with OR, they would read every link with such a beginning.
 */
export function searchAlternatives(search: LinkSearch): Expression<SqlBool>[] {
  const { keyStart, onDomains, engine } = search;
  const inside = engine === "postgres" ? insideByTrigrams(search) : insideByInstr(search);
  // LIKE ignores the case of ASCII on SQLite but not on PostgreSQL.
  const like = engine === "postgres" && search.keepsCase ? "ilike" : "like";
  const starts = (keyStart?.texts ?? []).map((text) => {
    const isStart = sql<SqlBool>`"foldedKey" ${sql.raw(like)} ${`${literally(text)}%`} escape '\\'`;
    const domainIds = keyStart?.domainIds;
    return domainIds === undefined ? isStart : links.and([links("links.domainId", "in", domainIds), isStart]);
  });
  // A search for all links of a domain reads from the newest link on.
  if (onDomains.length > 0) return [links.or([links("links.domainId", "in", onDomains), ...starts, ...inside])];
  return [inside, starts].flatMap((conditions) => (conditions.length === 0 ? [] : [links.or(conditions)]));
}

function insideByInstr({ inKey, inUrl, inNotes, engine }: LinkSearch): Expression<SqlBool>[] {
  const has = (text: string, part: string) => containsText(engine, text, part);
  return [
    ...[...new Set(inKey.map(lowerAscii))].map((part) => has(`lower("foldedKey")`, part)),
    ...inUrl.map((part) => has(searchedUrl, part)),
    ...inNotes.flatMap((part) => [has(searchedTitle, part), has(searchedComments, part)]),
  ];
}

/**
 * PostgreSQL uses its trigram index for the last condition or reads from the newest link on, whichever it estimates to
 * be faster; the conditions before it decide. They avoid LIKE: PostgreSQL would multiply the estimates of two such
 * conditions and expect a millionth of the links where a thousandth match.
 */
function insideByTrigrams({ inKey, inUrl, inNotes, engine }: LinkSearch): Expression<SqlBool>[] {
  const inLowerKey = inKey.map(lowerAscii);
  return [...new Set([...inLowerKey, ...inUrl, ...inNotes])].map((part) => {
    const has = (text: string) => containsText(engine, text, part);
    const exact = [
      ...(inLowerKey.includes(part) ? [has(`lower("foldedKey")`)] : []),
      ...(inUrl.includes(part) ? [has(searchedUrl)] : []),
      ...(inNotes.includes(part) ? [has(searchedTitle), has(searchedComments)] : []),
    ];
    const pattern = `%${literally(inTrigramText(part))}%`;
    return sql<SqlBool>`((${sql.join(exact, sql` or `)}) and ${sql.raw(trigramText)} like ${pattern})`;
  });
}

/** The rows that SQLite's trigram index finds. */
export function searchExpression({ inKey, inUrl, inNotes, keyStart, onDomains }: LinkSearch): string {
  // The index ignores case, in every script.
  const inside = [...inKey, ...inUrl, ...inNotes].map((text) => text.toLowerCase());
  const groups = [...new Set(inside)].map((text) => [text]);
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

/** Strips scheme and port: people paste short links from the address bar. */
function plainAddressOf(text: string): string {
  return decoded(text.replace(/^https?:\/\//i, "").replace(/^([^/:]+):\d+(?=\/|$)/, "$1"));
}

/** Browsers percent-encode the letters of a copied key; neither keys nor slugs contain a percent sign. */
function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    // PostgreSQL accepts no NUL.
    return plain.includes("\0") ? text : plain;
  } catch {
    // Not percent-encoded, such as "50%".
    return text;
  }
}

/**
 * The forms of a text in which a case-sensitive key can hold it: databases ignore the case of ASCII; other letters
 * match as typed, in lower case and in upper case.
 */
function casesOf(text: string): string[] {
  const written = foldKey(text, true);
  const upper = Array.from(written, (character) => {
    const letter = character.toUpperCase();
    return letter.length === character.length ? letter : character;
  });
  return [...new Set([foldKey(written, false), written, upper.join("")])];
}

/** Converts a domain to punycode, its stored form; a text with other letters stays as it is. */
function withAsciiHost(text: string): string {
  const slash = text.indexOf("/");
  const host = slash === -1 ? text : text.slice(0, slash);
  if (slash === -1 || /^[\0-\x7f]*$/.test(host) || !URL.canParse(`http://${host}`)) return text;
  return new URL(`http://${host}`).host + text.slice(slash);
}

/**
 * The forms of a text in which a URL can hold it: percent-encoded or not. Databases lower only ASCII, so other letters
 * match as typed or in lower case.
 */
function formsInUrl(text: string): string[] {
  const encoded = text.replace(/[^\0-\x7f]+/g, (part) => encodeURIComponent(part.toWellFormed()));
  return [...new Set([lowerAscii(text), text.toLowerCase(), encoded.toLowerCase()])];
}

/**
 * The forms of a text in which a title or comments can hold it. Databases lower only ASCII, so other letters match as
 * typed, in lower case, in upper case, or with capitals at the beginnings of all words or of the first. Known weakness:
 * a text with another mixture, such as "пРивет", is found only as it is written.
 */
function formsInNotes(text: string): string[] {
  const lower = text.toLowerCase();
  const capitalized = lower.replace(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  const sentence = lower.replace(/^\p{L}/u, (letter) => letter.toUpperCase());
  return [...new Set([text, lower, text.toUpperCase(), capitalized, sentence].map(lowerAscii))];
}

/** The ids of the first tags or folders by name whose name contains the text, or begins with a short one. */
async function idsByName(db: Db, workspaceId: number, table: "tags" | "folders", text: string): Promise<string[]> {
  const name = foldName(text);
  const rows = await db
    .selectFrom(table)
    .select("id")
    .where("workspaceId", "=", workspaceId)
    .where(
      lengthOf(text) < insideCharactersMin
        ? sql<SqlBool>`"foldedName" like ${`${literally(name)}%`} escape '\\'`
        : containsText(engineOf(db), `"foldedName"`, name),
    )
    .orderBy("foldedName")
    .limit(namesFoundMax)
    .execute();
  return rows.map(({ id }) => id);
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

/** Escapes a text for a LIKE pattern: % and _ match themselves. */
function literally(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
