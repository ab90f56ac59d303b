import { type RawBuilder, sql } from "kysely";

/**
 * The search index of links, and how to query it.
 *
 * 1. On SQLite, the index is an FTS5 table with one row per link: the trigrams of its folded key, the end of its
 *    domain's id, its URL, its title and its comments. The index knows only which link has which trigram; it finds too
 *    many links rather than too few, so callers compare the links found.
 * 2. A row's number combines the workspace's id and the link's `seq`. So a search reads only the rows of its
 *    workspace, newest first.
 * 3. Triggers note the links that a transaction adds or changes, and remove deleted ones (migrations 0003 and 0020).
 *    indexPending indexes the noted links together before the commit, so that a search finds every committed link.
 * 4. PostgreSQL maintains its trigram index of trigramText: the folded key, the URL, the title and the comments in one
 *    text. It may also find too many links, so callers compare them.
 * 5. The index holds no names of tags and folders: a search looks them up first and then finds their links by id. So
 *    renaming a tag of a million links changes one row.
 */

/** Characters of a URL that are searched; without a bound, long URLs would make bulk calls slow. */
export const searchedUrlCharactersMax = 2_000;

/** Characters of a link's comments that are searched; titles are shorter. */
export const searchedNoteCharactersMax = 1_000;

/** SQL for the part of a URL that a search compares. */
export const searchedUrl = `lower(substr("url", 1, ${searchedUrlCharactersMax}))`;
/** SQL for the title that a search compares; never null, since a search also asks which links do not match. */
export const searchedTitle = `lower(coalesce("title", ''))`;
/** SQL for the part of the comments that a search compares; never null. */
export const searchedComments = `lower(substr(coalesce("comments", ''), 1, ${searchedNoteCharactersMax}))`;

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
  `lower("foldedKey" || ' ' || substr("url", 1, ${searchedUrlCharactersMax}) || ' ' || coalesce("title", '')
    || ' ' || substr(coalesce("comments", ''), 1, ${searchedNoteCharactersMax}))`,
);

/** The form of a text inside trigramText, wherever a link contains it, in any case of ASCII. */
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
/** Separates the URL, the title and the comments, so that no trigram of a search spans two of them. */
const betweenTexts = "\u0004";
/** The random end of a domain's id; two domains of one workspace with the same end are compared separately. */
export const domainTokenCharacters = 6;

/** Bits of a link's number: more links would reach the numbers of the next workspace. */
export const rowidBits = 40;

/** SQL that tells whether the search index exists; it does once the migrations have run. */
export const hasIndex = `select 1 from sqlite_schema where name = 'linkSearchPending'`;
/** SQL that tells whether links wait to be indexed. */
export const hasPending = `select 1 from "linkSearchPending" limit 1`;
/** Links indexed by one statement: the trigrams of 10 links with the longest searched texts take about 5 ms. */
const batchLinksMax = 10;

const pendingPart = `select "seq" from "linkSearchPending" order by "seq" limit ${batchLinksMax}`;

/** The statements that index some of the noted links. They run before each commit until no noted link is left. */
export const indexPending: readonly string[] = [
  indexLinks(`"seq" in (${pendingPart})`),
  `delete from "linkSearchPending" where "seq" in (${pendingPart})`,
];

/**
 * The statement that indexes the links that meet a condition and are not in the index. In the order of the row numbers,
 * since FTS5 flushes its buffer whenever the numbers do not ascend.
 */
export function indexLinks(condition: string): string {
  return `insert into "linkSearch" ("rowid", "text")
   select ("workspaceId" << ${rowidBits}) + "seq",
     '${beforeKey}' || "foldedKey" || '${afterDomain}' || substr("domainId", -${domainTokenCharacters})
       || '${afterDomain}' || substr("url", 1, ${searchedUrlCharactersMax})
       || '${betweenTexts}' || coalesce("title", '')
       || '${betweenTexts}' || substr(coalesce("comments", ''), 1, ${searchedNoteCharactersMax})
   from "links" where ${condition}
   order by "workspaceId", "seq"`;
}

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
