import { type RawBuilder, sql } from "kysely";

/**
 * What stands in the search index of links, and how to ask it.
 *
 * 1. On SQLite it is one row of an FTS5 table for each link: its folded key, the end of its domain's id and its url,
 *    taken apart into trigrams. Which link has which trigram is all the index knows; it finds too many rather than too
 *    few, and whoever asks compares the links found.
 * 2. A row's number is the workspace's id and the link's `seq`. So a search reads its own workspace's rows alone,
 *    newest first, however many the others have.
 * 3. Triggers note which links a transaction adds or changes, and take deleted ones out (migration 0003). Before the
 *    commit those noted are indexed together, see indexPending: a search misses nothing that is committed.
 * 4. PostgreSQL keeps its index of trigrams by itself: of trigramText, the folded key and the url in one text. It too may
 *    find too many, and whoever asks compares the links found.
 */

/** Characters of a url that are searched; an index of endless ones would make a bulk of links slow. */
export const searchedUrlCharactersMax = 2_000;

/** What a search compares of a url, as SQL. */
export const searchedUrl = `lower(substr("url", 1, ${searchedUrlCharactersMax}))`;

/**
 * The marks between the words of keys and urls, and the rare letters that stand for them in PostgreSQL's index.
 *
 * Its trigrams end with a word, so that "spring-offer" would be any link with spring and with offer: of 1,000,000 links
 * 4,300 had to be read where 360 match, which took 52 ms of processor time at the median and 226 ms at the 95th
 * percentile. With a letter for the mark it is 500 links, 13 and 26 ms. A letter taken for a mark costs a comparison.
 */
const lettersForMarks: readonly (readonly [mark: string, letter: string])[] = [
  ["-", "q"],
  ["/", "x"],
  [".", "j"],
  // Not the equals sign: with it "campaign-camera" is looked for in every link with "utm_campaign=camera".
  ["_", "z"],
];

/**
 * What PostgreSQL's index of trigrams is on, as SQL; a query uses the index only with this very text. By replace, since
 * one translate takes 8 µs a link and these together 1.
 */
export const trigramText = lettersForMarks.reduce(
  (text, [mark, letter]) => `replace(${text}, '${mark}', '${letter}')`,
  `lower("foldedKey" || ' ' || substr("url", 1, ${searchedUrlCharactersMax}))`,
);

/** A text as it is inside of trigramText, wherever a key or a url has it inside in any case of ASCII. */
export function inTrigramText(text: string): string {
  return lettersForMarks.reduce((changed, [mark, letter]) => changed.replaceAll(mark, letter), lowerAscii(text));
}

/** What the databases make of a text in lower case: all columns compare bytes, so that other letters stay. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Twice the mark, so that even a key's first character alone makes a trigram with it. No key and no url holds it. */
export const beforeKey = "\u0002\u0002";
/** Stands on both sides of the domain's token. */
export const afterDomain = "\u0003";
/** The random end of a domain's id; two domains of one workspace with the same are compared apart. */
export const domainTokenCharacters = 6;

/** Links there can be before their numbers run into the next workspace's. */
export const rowidBits = 40;

/** Whether there is a search index to be kept; not before the migrations have run. */
export const hasIndex = `select 1 from sqlite_schema where name = 'linkSearchPending'`;
/** Whether links wait to be indexed. */
export const hasPending = `select 1 from "linkSearchPending" limit 1`;
/** Links indexed by one statement: the trigrams of 10 urls of searchedUrlCharactersMax take some 3 ms. */
const indexedAtOnce = 10;

const pendingPart = `select "seq" from "linkSearchPending" order by "seq" limit ${indexedAtOnce}`;

/**
 * The statements that index some of the links noted by the triggers; to be run before each commit, until none is left.
 * By row number, since FTS5 writes out what it has gathered whenever the numbers do not ascend.
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
/** Trigrams of one text that are looked up; the links that are left are compared with all of it. */
const termsMax = 32;

/** What a row of the index must hold: all the texts of one of the groups, each as long as a trigram at least. */
export type TrigramGroups = readonly (readonly string[])[];

/**
 * The FTS5 expression for these groups.
 * Every third trigram and the last cover a text: fewer lists to walk through than with all of them.
 */
export function trigramExpression(groups: TrigramGroups): string {
  const alternatives = groups.map((texts) => [...new Set(texts.flatMap(trigrams))]);
  return alternatives.map((terms) => `(${terms.map(quoted).join(" AND ")})`).join(" OR ");
}

/** The number before the first and behind the last row of a workspace in the index. */
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
