import { type DuckDBConnection, DuckDBDataChunk, VARCHAR } from "@duckdb/node-api";
import { referrerGroupOf, referrerTableVersion } from "../../referrer-group.ts";
import { dimensionTables } from "./star-schema.ts";
import { chunkRowsMax } from "./surrogate-keys.ts";
import { inTransaction } from "./transaction.ts";

const { table } = dimensionTables.referrer;

/** A host and its columns, in the order of the temporary table. */
type Correction = [referer: string, refererGroup: string, channel: string];

/**
 * Corrects the groups and channels of the stored referrers: those of a migrated file, and those whose service was added
 * to the table since. Reads every host, in chunks, but only after the table of services has changed: a million hosts
 * take seconds.
 */
export async function correctReferrerGroups(connection: DuckDBConnection): Promise<void> {
  const about = await connection.runAndReadAll(`SELECT "referrerTable" FROM about`);
  if (about.getRows()[0]?.[0] === referrerTableVersion) return;
  const corrections = await findCorrections(connection);
  await inTransaction(connection, async () => {
    if (corrections.length > 0) await apply(connection, corrections);
    await connection.run(`UPDATE about SET "referrerTable" = $version`, { version: referrerTableVersion });
  });
}

async function apply(connection: DuckDBConnection, corrections: readonly Correction[]): Promise<void> {
  await connection.run(`CREATE TEMP TABLE corrected ("referer" VARCHAR, "refererGroup" VARCHAR, "channel" VARCHAR)`);
  await append(connection, corrections);
  await connection.run(
    `UPDATE "${table}" SET "refererGroup" = corrected."refererGroup", "channel" = corrected."channel"
     FROM temp.corrected AS corrected WHERE "${table}"."referer" = corrected."referer"`,
  );
  await connection.run("DROP TABLE temp.corrected");
}

/** The hosts with another group or channel than the current one. */
async function findCorrections(connection: DuckDBConnection): Promise<Correction[]> {
  const corrections: Correction[] = [];
  const hosts = await connection.stream(`SELECT DISTINCT "referer", "refererGroup", "channel" FROM "${table}"`);
  for (let chunk = await hosts.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await hosts.fetchChunk()) {
    for (const [referer, storedGroup, storedChannel] of chunk.getRows()) {
      const { refererGroup, channel } = referrerGroupOf(String(referer));
      if (storedGroup === refererGroup && storedChannel === channel) continue;
      corrections.push([String(referer), refererGroup, channel]);
    }
  }
  return corrections;
}

async function append(connection: DuckDBConnection, corrections: readonly Correction[]): Promise<void> {
  const appender = await connection.createAppender("corrected", "main", "temp");
  try {
    for (let start = 0; start < corrections.length; start += chunkRowsMax) {
      const chunk = DuckDBDataChunk.create([VARCHAR, VARCHAR, VARCHAR]);
      chunk.setRows(corrections.slice(start, start + chunkRowsMax));
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
}
