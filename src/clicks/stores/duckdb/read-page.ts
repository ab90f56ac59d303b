/**
 * Reads a page of clicks without sorting or joining clicks that are not on the page. All steps read one snapshot.
 *
 * 1. The surrogate keys of the filters: see filter-keys.ts.
 * 2. The time range of the page. Matching clicks are counted in equal buckets of a range that begins at the start of
 *    the page and grows until it holds enough clicks. Then only the buckets of the page are kept.
 * 3. The facts of the page, from that range. Only numbers are sorted.
 * 4. The texts of these facts: see PageTextCache.
 */
import { hourMs } from "../../../base/time.ts";
import type { Click } from "../../click.ts";
import type { ClickPage } from "../../query.ts";
import { conditions } from "./compile-query.ts";
import { withFilterKeys } from "./filter-keys.ts";
import { type FoundTexts, type PageTextCache, type Read, textFields } from "./page-text-cache.ts";
import type { Row } from "./rows.ts";
import { binding, type CompiledQuery } from "./sql.ts";
import { codes, dimensionTables, textDimensionNames } from "./star-schema.ts";

/** The length of the first range, and the factor by which it grows: six ranges cover 30 years. */
const firstRangeMs = hourMs;
const rangeGrowth = 64;
/** DuckDB counts groups with a one-byte key without hashing. */
const bucketsMax = 256;
/** A range with more clicks than this is counted again in shorter buckets before it is sorted. */
const sortedMax = 20_000;
const recountsMax = 4;
/** Clicks of one link lie side by side, so sorting the first thousand is faster than counting them. */
const uncountedMax = 1_000;

/** The clicks of a page in its order, and their texts. All calls of `read` must read one snapshot. */
export async function readPage(
  page: ClickPage,
  read: Read,
  texts: PageTextCache,
): Promise<{ clicks: Click[]; found: FoundTexts }> {
  const range = await findRange(await withFilterKeys(page, read), read);
  const facts = range === undefined ? [] : await read(compilePageFacts(range));
  const found = await texts.find(facts, read);
  return { clicks: facts.map((fact) => clickOf(fact, page.workspaceId, found)), found };
}

/** The page within a shorter time range; undefined when it is empty. */
async function findRange(page: ClickPage, read: Read): Promise<ClickPage | undefined> {
  const needed = page.offset + page.limit;
  const isOfLinks = page.filters.some(({ dimension, isExcluded }) => dimension === "linkId" && !isExcluded);
  if (isOfLinks && needed <= uncountedMax) return page;
  const lengthMs = page.to - page.from;
  for (let rangeMs = isOfLinks ? lengthMs : firstRangeMs; ; rangeMs *= rangeGrowth) {
    const range = rangeMs >= lengthMs ? page : beginningOf(page, rangeMs);
    const buckets = await countBuckets(range, read);
    const clicks = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
    if (clicks >= needed || range === page) return await narrow(range, buckets, read);
  }
}

/** The part of the page's range where the page begins. */
function beginningOf(page: ClickPage, rangeMs: number): ClickPage {
  return page.order === "newestFirst" ? { ...page, from: page.to - rangeMs } : { ...page, to: page.from + rangeMs };
}

/** Narrows the range to the buckets of the page until few clicks remain to be sorted. */
async function narrow(page: ClickPage, buckets: readonly Bucket[], read: Read): Promise<ClickPage | undefined> {
  let [range, clicks] = [page, Number.POSITIVE_INFINITY];
  let counted = buckets;
  for (let recounts = 0; ; recounts++) {
    const narrowed = keepBuckets(range, counted);
    if (narrowed === undefined) return undefined;
    [range, clicks] = [narrowed.page, narrowed.clicks];
    if (clicks <= sortedMax || recounts === recountsMax) return range;
    counted = await countBuckets(range, read);
  }
}

/** A time range and its number of clicks. */
type Bucket = { from: number; to: number; clicks: number };

/**
 * The page within the range of its buckets, and the clicks of those buckets; undefined when no bucket belongs to it.
 */
export function keepBuckets(
  page: ClickPage,
  buckets: readonly Bucket[],
): { page: ClickPage; clicks: number } | undefined {
  const isNewestFirst = page.order === "newestFirst";
  const pageBuckets: Bucket[] = [];
  let [before, skipped] = [0, 0];
  for (const bucket of isNewestFirst ? buckets.toReversed() : buckets) {
    if (before >= page.offset + page.limit) break;
    if (before + bucket.clicks > page.offset) pageBuckets.push(bucket);
    else skipped += bucket.clicks;
    before += bucket.clicks;
  }
  const [first, last] = isNewestFirst ? [pageBuckets.at(-1), pageBuckets[0]] : [pageBuckets[0], pageBuckets.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const clicks = pageBuckets.reduce((sum, bucket) => sum + bucket.clicks, 0);
  return { page: { ...page, from: first.from, to: last.to, offset: page.offset - skipped }, clicks };
}

/** The buckets of the page's range that have clicks, by time. */
async function countBuckets(page: ClickPage, read: Read): Promise<Bucket[]> {
  const bucketMs = Math.ceil((page.to - page.from) / bucketsMax);
  const rows = await read(compileBuckets(page, bucketMs));
  return rows.map(({ bucket, clicks }) => {
    const from = page.from + Number(bucket) * bucketMs;
    return { from, to: Math.min(page.to, from + bucketMs), clicks: Number(clicks) };
  });
}

/** Compiles the count of a page's clicks by bucket. */
export function compileBuckets(page: ClickPage, bucketMs: number): CompiledQuery {
  const { parameters, bind } = binding();
  const sql = [
    `SELECT ((facts."time" - ${bind(page.from)}) // ${bind(bucketMs)})::UTINYINT AS "bucket", count(*) AS "clicks"`,
    `FROM facts\nWHERE ${conditions(page, bind)}`,
    `GROUP BY "bucket"\nORDER BY "bucket"`,
  ].join("\n");
  return { sql, parameters };
}

/**
 * Compiles the query for the facts of a page. The first half of an id is read as a number, because sorting texts takes
 * ten times the memory.
 */
export function compilePageFacts(page: ClickPage): CompiledQuery {
  const { parameters, bind } = binding();
  const direction = page.order === "newestFirst" ? "DESC" : "ASC";
  const columns = [
    "time",
    ...textDimensionNames.map((name) => dimensionTables[name].column),
    "bot",
    "trigger",
    "visitor",
    "idLow",
  ];
  const sql = [
    `SELECT ${columns.map((name) => `facts."${name}"`).join(", ")}, "idHigh"`,
    `FROM facts JOIN (SELECT "number", ('0x' || "idHigh")::UBIGINT AS "idHigh" FROM "origins") AS high`,
    `  ON high."number" = facts."origin"`,
    `WHERE ${conditions(page, bind)}`,
    `ORDER BY facts."time" ${direction}, "idHigh" ${direction}, facts."idLow" ${direction}`,
    `LIMIT ${bind(page.limit)} OFFSET ${bind(page.offset)}`,
  ].join("\n");
  return { sql, parameters };
}

/** Converts a fact of compilePageFacts to a click. */
function clickOf(fact: Row, workspaceId: number, found: FoundTexts): Click {
  const { time, trigger, bot, visitor } = fact;
  return {
    ...{ id: idOf(fact), time: Number(time), workspaceId },
    ...textFields(found, fact),
    trigger: codes.trigger[Number(trigger)] ?? "link",
    bot: codes.bot[Number(bot)] ?? "",
    visitor: Number(visitor) === 0 ? "" : hexOf(visitor),
  };
}

function idOf({ idHigh, idLow }: Row): string {
  const digits = hexOf(idHigh) + hexOf(idLow);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** A 64-bit integer as 16 hex digits. */
function hexOf(value: Row[string] | undefined): string {
  if (typeof value !== "bigint") throw new Error(`DuckDB returned ${value} instead of a 64-bit integer.`);
  return value.toString(16).padStart(16, "0");
}
