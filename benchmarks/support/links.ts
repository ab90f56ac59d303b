/** The numbered links of the redirect benchmarks, inserted directly into the database. */
import { Database as SqliteFile } from "bun:sqlite";
import { existsSync } from "node:fs";
import { Client } from "pg";
import { seededRandom } from "../../tests/support/clicks.ts";

/** An odd factor gives numbers below 2^32 distinct keys in scattered order. visits.c has the same factor. */
const keyFactor = 2_654_435_761;

/** Returns the key of the link with a number: eight hexadecimal digits. */
export function keyOf(number: number): string {
  return (Math.imul(number, keyFactor) >>> 0).toString(16).padStart(8, "0");
}

/** Returns the destination of the link with a number. */
export function destinationOf(number: number): string {
  return `https://example.com/page/${number}?from=short`;
}

/** The number of links, and their rules as stored JSON, if any. */
export type Links = { count: number; rules?: string };

/**
 * Fills an empty instance's database while no server runs, with one statement on the real table. It drops the indexes
 * and triggers before and creates them again afterwards, which is ten times faster. The search index, which no redirect
 * reads, stays empty.
 */
export function fillLinks(path: string, { count, rules }: Links): void {
  const file = new SqliteFile(path);
  try {
    // No journal: it would have to hold all rows. After a failure, the benchmark starts with a new folder.
    file.run("PRAGMA journal_mode = DELETE");
    file.run("PRAGMA journal_mode = MEMORY");
    file.run("PRAGMA synchronous = OFF");
    file.run("PRAGMA cache_size = -1000000");
    file.run("PRAGMA temp_store = FILE");
    const indexesAndTriggers = file
      .query<{ type: string; name: string; sql: string }, []>(
        "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = 'links' AND type <> 'table' AND sql IS NOT NULL",
      )
      .all();
    for (const { type, name } of indexesAndTriggers) file.run(`DROP ${type} "${name}"`);
    file.query(insertNumbered).run({ $count: count, $rules: rules ?? null, $now: Date.now() });
    for (const { sql } of indexesAndTriggers) file.run(sql);
  } finally {
    file.close();
  }
}

/** Fills an empty instance's PostgreSQL database at `url` with the same links, while no server runs. */
export async function fillPostgres(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(insertNumberedInPostgres, [count, Date.now()]);
    await client.query("VACUUM ANALYZE links");
  } finally {
    await client.end();
  }
}

const insertNumberedInPostgres = `
  INSERT INTO links (id, "workspaceId", "userId", "domainId", key, "foldedKey", url, "urlHash", "forwardPath",
    archived, proxy, rewrite, "doIndex", "publicStats", "trackConversion", clicks, "createdAt", "updatedAt")
  SELECT 'link_' || lpad(number::text, 26, '0'), place."workspaceId", place."userId", place."domainId", keyed.key, keyed.key,
    'https://example.com/page/' || number || '?from=short', hash & 1099511627775, 0, 0, 0, 0, 0, 0, 0, 0, $2::bigint, $2::bigint
  FROM generate_series(0, $1::bigint - 1) AS numbers(number)
    CROSS JOIN LATERAL (SELECT number * ${keyFactor} AS hash) AS hashed
    CROSS JOIN LATERAL (SELECT lpad(to_hex(hash & 4294967295), 8, '0') AS key) AS keyed
    CROSS JOIN (
      SELECT domains.id AS "domainId", domains."workspaceId", (SELECT id FROM users LIMIT 1) AS "userId"
      FROM domains LIMIT 1
    ) AS place`;

/** True for a database at `path` with this number of links. */
export function holdsLinks(path: string, count: number): boolean {
  if (!existsSync(path)) return false;
  const file = new SqliteFile(path, { readonly: true });
  const select = file.query("SELECT 1 FROM links WHERE id = printf('link_%026d', ?)");
  const holds = (number: number) => select.get(number) !== null;
  try {
    return holds(count - 1) && !holds(count);
  } finally {
    file.close();
  }
}

// The product has 64 bits, and the last 32 are the key.
const insertNumbered = `
  INSERT INTO links (id, "workspaceId", "userId", "domainId", key, "foldedKey", url, "urlHash", rules, "forwardPath",
    archived, proxy, rewrite, "doIndex", "publicStats", "trackConversion", clicks, "createdAt", "updatedAt")
  WITH RECURSIVE numbers(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < $count),
    place AS (
      SELECT domains.id AS "domainId", domains."workspaceId", (SELECT id FROM users LIMIT 1) AS "userId"
      FROM domains LIMIT 1
    ),
    keyed AS (SELECT number, printf('%08x', (number * ${keyFactor}) & 4294967295) AS key FROM numbers)
  SELECT printf('link_%026d', number), "workspaceId", "userId", "domainId", key, key,
    'https://example.com/page/' || number || '?from=short', (number * ${keyFactor}) & 1099511627775, $rules, 0,
    0, 0, 0, 0, 0, 0, 0, $now, $now
  FROM keyed, place`;

/** Returns uniformly distributed numbers of links. */
export function uniformPicks(linksCount: number, picksCount: number): Uint32Array {
  const random = seededRandom(42);
  return Uint32Array.from({ length: picksCount }, () => Math.floor(random() * linksCount));
}

/**
 * Returns numbers of links by Zipf's law with exponent 1: the link of rank r occurs 1/r as often as the first. A factor
 * spreads the ranks over the numbers, so that popular links are not adjacent in the file.
 */
export function zipfPicks(linksCount: number, picksCount: number): Uint32Array {
  const random = seededRandom(43);
  const sums = new Float64Array(linksCount);
  for (let rank = 0, sum = 0; rank < linksCount; rank++) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  const total = sums.at(-1) ?? 0;
  return Uint32Array.from({ length: picksCount }, () => (rankAt(sums, random() * total) * rankSpread) % linksCount);
}

/** A prime, which has no common factor with the numbers of links in use. */
const rankSpread = 1_000_003;

function rankAt(sums: Float64Array, part: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) < part) low = middle + 1;
    else high = middle;
  }
  return low;
}
