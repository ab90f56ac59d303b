import { type RawBuilder, sql } from "kysely";

/**
 * The search index of links, and how to query it.
 *
 * 1. On SQLite, the index is an FTS5 table with one row per link: the trigrams of its folded key, the end of its
 *    domain's id, and its URL. The index knows only which link has which trigram; it finds too many links rather than
 *    too few, so callers compare the links found.
 * 2. A row's number combines the workspace's id and the link's `seq`. So a search reads only the rows of its
 *    workspace, newest first.
 * 3. Triggers note the links that a transaction adds or changes, and remove deleted ones (migration 0003). indexPending
 *    indexes the noted links together before the commit, so that a search finds every committed link.
 * 4. PostgreSQL maintains its trigram index of trigramText: the folded key and the URL in one text. It may also find
 *    too many links, so callers compare them.
 */

/** Characters of a URL that are searched; without a bound, long URLs would make bulk calls slow. */
export const searchedUrlCharactersMax = 2_000;

/** SQL for the part of a URL that a search compares. */
export const searchedUrl = `lower(substr("url", 1, ${searchedUrlCharactersMax}))`;

/**
 * The marks between the words of keys and URLs, and the rare letters that replace them in PostgreSQL's index.
 *
 * PostgreSQL's trigrams end with a word, so "spring-offer" would match any link with spring and with offer: among
 * 1,000,000 links, 4,300 were read where 360 match, which took 52 ms of processor time at the median and 226 ms at the
 * 95th percentile. With letters for marks, 500 links are read, in 13 and 26 ms. A real letter taken for a mark costs
 * one comparison.
 */
const lettersForMarks: readonly (readonly [mark: string, letter: string])[] = [
  ["-", "q"],
  ["/", "x"],
  [".", "j"],
  // Without the equals sign: with it, "campaign-camera" would search every link with "utm_campaign=camera".
  ["_", "z"],
];

/**
 * SQL for the text that PostgreSQL's trigram index covers; a query uses the index only with exactly this text. Nested
 * `replace` calls take 1 µs per link where `translate` takes 8.
 */
export const trigramText = lettersForMarks.reduce(
  (text, [mark, letter]) => `replace(${text}, '${mark}', '${letter}')`,
  `lower("foldedKey" || ' ' || substr("url", 1, ${searchedUrlCharactersMax}))`,
);

/** The form of a text inside trigramText, wherever a key or a URL contains it, in any case of ASCII. */
export function inTrigramText(text: string): string {
  return lettersForMarks.reduce((changed, [mark, letter]) => changed.replaceAll(mark, letter), lowerAscii(text));
}

/** Lower case as the databases compute it: all columns compare bytes, so other letters stay. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Two marks, so that even the first character of a key forms a trigram with them. No key and no URL contains the mark.
 */
export const beforeKey = "\u0002\u0002";
/** Encloses the domain's token. */
export const afterDomain = "\u0003";
/** The random end of a domain's id; two domains of one workspace with the same end are compared separately. */
export const domainTokenCharacters = 6;

/** Bits of a link's number: more links would reach the numbers of the next workspace. */
export const rowidBits = 40;

/** SQL that tells whether the search index exists; it does once the migrations have run. */
export const hasIndex = `select 1 from sqlite_schema where name = 'linkSearchPending'`;
/** SQL that tells whether links wait to be indexed. */
export const hasPending = `select 1 from "linkSearchPending" limit 1`;
/** Links indexed by one statement: the trigrams of 10 URLs of searchedUrlCharactersMax take some 3 ms. */
const indexedAtOnce = 10;

const pendingPart = `select "seq" from "linkSearchPending" order by "seq" limit ${indexedAtOnce}`;

/**
 * The statements that index some of the noted links. They run before each commit until no noted link is left. Ordered
 * by row number, since FTS5 flushes its buffer whenever the numbers do not ascend.
 */
export const indexPending: readonly string[] = [
  `insert into "linkSearch" ("rowid", "text")
   select ("workspaceId" << ${rowidBits}) + "seq",
     '${beforeKey}' || "foldedKey" || '${afterDomain}' || substr("domainId", -${domainTokenCharacters})
       || '${afterDomain}' || substr("url", 1, ${searchedUrlCharactersMax})
   from "links" where "seq" in (${pendingPart})
   order by "workspaceId", "seq"`,
  `delete from "linkSearchPending" where "seq" in (${pendingPart})`,
];

/** The characters of a trigram. */
const width = 3;
/** Trigrams of one text that a query looks up; the remaining links are compared with the whole text. */
const termsMax = 32;

/**
 * The texts that a row of the index must contain: all texts of one of the groups, each at least as long as a trigram.
 */
export type TrigramGroups = readonly (readonly string[])[];

/**
 * The FTS5 expression for these groups. Every third trigram and the last one cover a text, with fewer lists to walk
 * through.
 */
export function trigramExpression(groups: TrigramGroups): string {
  const alternatives = groups.map((texts) => [...new Set(texts.flatMap(trigrams))]);
  return alternatives.map((terms) => `(${terms.map(quoted).join(" AND ")})`).join(" OR ");
}

/** The numbers before the first and after the last row of a workspace in the index. */
export function rowidRange(workspaceId: number): { first: RawBuilder<number>; end: RawBuilder<number> } {
  const start = (id: number) => sql<number>`(cast(${id} as integer) << ${sql.lit(rowidBits)})`;
  return { first: start(workspaceId), end: start(workspaceId + 1) };
}

function trigrams(text: string): string[] {
  const characters = Array.from(text);
  const last = characters.length - width;
  if (last < 0) throw new Error(`No trigram is in ${JSON.stringify(text)}, so that no search can begin there.`);
  const starts = Array.from({ length: Math.floor(last / width) + 1 }, (_, index) => index * width);
  return [last, ...starts].slice(0, termsMax).map((start) => characters.slice(start, start + width).join(""));
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
