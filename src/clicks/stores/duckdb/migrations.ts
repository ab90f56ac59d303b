/**
 * The schema version of the click store's file, and the migrations between versions.
 *
 * 1. A new file has the tables of star-schema.ts. An older file goes through the migrations after its version, each in
 *    a transaction with the new version number.
 * 2. A file of a newer version is refused, and nothing is written to it.
 * 3. A file without a version has version 1, which had no table `about`.
 * 4. A released migration never changes. A change of star-schema.ts needs a migration, and a file in tests/fixtures to
 *    test it.
 */
import assert from "node:assert";
import type { DuckDBConnection } from "@duckdb/node-api";
import { storeSchemaVersion } from "../schema-version.ts";
import { correctReferrerGroups } from "./referrer-groups.ts";
import { createTables, createViewsAndPendingVacuum, sqlNames } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";

/** A migration: its version, and its SQL, which may use the id of the store. */
type Migration = { version: number; sql(storeId: string): readonly string[] };

/** TABLE of the migrations, in ascending order. */
const migrations: readonly Migration[] = [
  {
    version: 2,
    sql: (storeId) => [
      `CREATE TABLE about ("version" INTEGER NOT NULL, "storeId" VARCHAR NOT NULL)`,
      `INSERT INTO about VALUES (1, '${storeId}')`,
    ],
  },
  {
    version: 3,
    sql: () => [
      `ALTER TABLE referrers ADD COLUMN IF NOT EXISTS "refererGroup" VARCHAR DEFAULT ''`,
      `ALTER TABLE referrers ADD COLUMN IF NOT EXISTS "channel" VARCHAR DEFAULT ''`,
      `ALTER TABLE about ADD COLUMN IF NOT EXISTS "referrerTable" VARCHAR`,
    ],
  },
];

const firstVersion = 1;
const currentVersion = migrations.at(-1)?.version ?? firstVersion;
assert(
  currentVersion === storeSchemaVersion,
  `the last migration leads to ${currentVersion}, not ${storeSchemaVersion}`,
);

/**
 * Migrates the file to the current version and returns the random id from its creation; a restored copy has the same
 * id. Throws when the file has a newer version.
 */
export async function prepareSchema(connection: DuckDBConnection): Promise<string> {
  const version = await readVersion(connection);
  if (version !== undefined && version > currentVersion) {
    throw new Error(
      `The file has schema version ${version}, and this program knows versions up to ${currentVersion}: ` +
        "a newer version of Waypost wrote it.",
    );
  }
  if (version === undefined) await createFile(connection);
  for (const migration of migrations.filter((step) => step.version > (version ?? currentVersion))) {
    await inTransaction(connection, () => migrate(connection, migration));
  }
  for (const sql of createViewsAndPendingVacuum) await connection.run(sql);
  await correctReferrerGroups(connection);
  const [storeId] = await readRow(connection, `SELECT "storeId" FROM about`);
  return String(storeId);
}

/** The version of the file; undefined for a new file, or one whose creation was interrupted. */
async function readVersion(connection: DuckDBConnection): Promise<number | undefined> {
  const tables = await connection.runAndReadAll(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()",
  );
  const names = tables.getRows().map(([name]) => String(name));
  if (names.includes("about")) return Number((await readRow(connection, `SELECT "version" FROM about`))[0]);
  // The last table that version 1 created.
  return names.includes(sqlNames.pendingVacuum) ? firstVersion : undefined;
}

async function createFile(connection: DuckDBConnection): Promise<void> {
  await inTransaction(connection, async () => {
    for (const sql of createTables) await connection.run(sql);
    await connection.run(
      `INSERT INTO about ("version", "storeId") VALUES (${currentVersion}, '${crypto.randomUUID()}')`,
    );
  });
}

async function migrate(connection: DuckDBConnection, { version, sql }: Migration): Promise<void> {
  for (const statement of sql(crypto.randomUUID())) await connection.run(statement);
  await connection.run(`UPDATE about SET "version" = ${version}`);
}

async function readRow(connection: DuckDBConnection, sql: string): Promise<readonly unknown[]> {
  return (await connection.runAndReadAll(sql)).getRows()[0] ?? [];
}
