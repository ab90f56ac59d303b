import type { Config } from "./config.ts";
import type { Database, Db } from "./database/database.ts";
import type { ReportMigration } from "./database/migrations/report-migration.ts";
import { openDatabase } from "./database/open-database.ts";
import { databaseLocation } from "./database-location.ts";
import { foreignClicksError, holdsClicks } from "./kept-clicks.ts";

/**
 * Opens and migrates the database of the configuration; `report` receives the progress of migrations.
 * Throws ConfigError, and creates no tables, for an empty one whose data folder has the clicks of another.
 */
export async function openServiceDatabase(config: Config, report?: ReportMigration): Promise<Database> {
  return await openDatabase(databaseLocation(config), report, async (db) => {
    // The lock of the data folder refuses a missing SQLite file (cli/data-folder.ts).
    if (holdsClicks(config) && (await isNewDatabase(db))) throw foreignClicksError(config);
  });
}

/** True before the first start has created the first user and workspace. Each of them can be deleted later. */
export async function isNewDatabase(db: Db): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "workspaces")) return true;
  const isEmpty = async (table: "workspaces" | "users") =>
    (await db.selectFrom(table).select("id").limit(1).executeTakeFirst()) === undefined;
  return (await isEmpty("workspaces")) && (await isEmpty("users"));
}
