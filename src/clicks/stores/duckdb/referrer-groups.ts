import { type DuckDBConnection, DuckDBDataChunk, INTEGER, VARCHAR } from "@duckdb/node-api";
import { referrerGroupOf, referrerTableVersion } from "../../referrer-group.ts";
import { dimensionTables } from "./star-schema.ts";
import { chunkRowsMax } from "./surrogate-keys.ts";
import { inTransaction } from "./transaction.ts";

const { table } = dimensionTables.referrer;

/** The most referrers that are in memory at the same time. Visitors choose them, so a file may have millions. */
const pageRowsMax = 50_000;

/** The surrogate key of a referrer and its right columns, in the order of the temporary table. */
type Correction = [number: number, refererGroup: string, channel: string];

/**
 * Corrects the groups and channels of the stored referrers: those of a migrated file, and those whose service was added
 * to the table since. Reads every referrer, in pages, but only after the table of services has changed: a million
 * take seconds. After a crash between two pages, the next start reads all of them again.
 */
export async function correctReferrerGroups(connection: DuckDBConnection, rowsMax = pageRowsMax): Promise<void> {
  const about = await connection.runAndReadAll(`SELECT "referrerTable" FROM about`);
  if (about.getRows()[0]?.[0] === referrerTableVersion) return;
  let after = -1;
  for (;;) {
    const { corrections, last } = await readPage(connection, after, rowsMax);
    if (last === undefined) break;
    if (corrections.length > 0) await inTransaction(connection, () => apply(connection, corrections, { after, last }));
    after = last;
  }
  await connection.run(`UPDATE about SET "referrerTable" = $version`, { version: referrerTableVersion });
}

type Page = {
  corrections: Correction[];
  /** The greatest surrogate key of the page; undefined after the last page. */
  last: number | undefined;
};

/** The next referrers by surrogate key, and those of them with another group or channel than the current one. */
async function readPage(connection: DuckDBConnection, after: number, rowsMax: number): Promise<Page> {
  const sql = `SELECT "number", "referer", "refererGroup", "channel" FROM "${table}"
    WHERE "number" > $after ORDER BY "number" LIMIT $rowsMax`;
  const rows = (await connection.runAndReadAll(sql, { after, rowsMax })).getRows();
  const corrections = rows.flatMap(([number, referer, storedGroup, storedChannel]): Correction[] => {
    const { refererGroup, channel } = referrerGroupOf(String(referer));
    return storedGroup === refererGroup && storedChannel === channel ? [] : [[Number(number), refererGroup, channel]];
  });
  const last = rows.at(-1)?.[0];
  return { corrections, last: last === undefined ? undefined : Number(last) };
}

async function apply(
  connection: DuckDBConnection,
  corrections: readonly Correction[],
  { after, last }: { after: number; last: number },
): Promise<void> {
  await connection.run(`CREATE TEMP TABLE corrected ("number" INTEGER, "refererGroup" VARCHAR, "channel" VARCHAR)`);
  await append(connection, corrections);
  // The range lets DuckDB skip the rest of the table.
  await connection.run(
    `UPDATE "${table}" SET "refererGroup" = corrected."refererGroup", "channel" = corrected."channel"
     FROM temp.corrected AS corrected WHERE "${table}"."number" = corrected."number"
       AND "${table}"."number" > $after AND "${table}"."number" <= $last`,
    { after, last },
  );
  await connection.run("DROP TABLE temp.corrected");
}

async function append(connection: DuckDBConnection, corrections: readonly Correction[]): Promise<void> {
  const appender = await connection.createAppender("corrected", "main", "temp");
  try {
    for (let start = 0; start < corrections.length; start += chunkRowsMax) {
      const chunk = DuckDBDataChunk.create([INTEGER, VARCHAR, VARCHAR]);
      chunk.setRows(corrections.slice(start, start + chunkRowsMax));
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
}
