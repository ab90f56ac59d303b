import { Migrator } from "kysely";
import { connect, type Database, type DatabaseLocation, type Db } from "./database.ts";
import type { Engine } from "./engine.ts";
import { migrations } from "./migrations/migrations.ts";
import type { ReportMigration } from "./migrations/report-migration.ts";
import { refuseMoved } from "./moved.ts";
import { refuseOtherEncoding } from "./postgres-encoding.ts";
import { copyBeforeMigration } from "./sqlite-copy-before-migration.ts";
import { transact } from "./transact.ts";

/** Opening a database with its migrations, which threads and redirect workers do not load: they connect. */

/**
 * Opens the relational database and migrates its tables, after a copy of a SQLite file that needs it; `report` receives
 * the progress. `check` sees the database first, and throws to leave it as it is. Throws when a migration fails,
 * and "conflict" for a PostgreSQL database that is not in UTF-8.
 */
export async function openDatabase(
  location: DatabaseLocation,
  report: ReportMigration = () => {},
  check: (db: Db) => Promise<void> = async () => {},
): Promise<Database> {
  if (location.kind === "sqlite") await copyBeforeMigration(location.path, report);
  return await openTables(location, report, async (db) => {
    await refuseMoved(db);
    await check(db);
  });
}

/** Opens a database like openDatabase, also one that is the source or the target of a copy. */
export async function openDatabaseForCopy(location: DatabaseLocation): Promise<Database> {
  return await openTables(
    location,
    () => {},
    async () => {},
  );
}

async function openTables(
  location: DatabaseLocation,
  report: ReportMigration,
  check: (db: Db) => Promise<void>,
): Promise<Database> {
  const opened = connect(location, "full");
  try {
    if (opened.engine === "postgres") await refuseOtherEncoding(opened.db);
    await check(opened.db);
    await migrate(opened.db, opened.engine, report);
    // This commit indexes links that another program may have inserted.
    await transact(opened.db, async () => {});
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

async function migrate(db: Db, engine: Engine, report: ReportMigration): Promise<void> {
  const provider = { getMigrations: async () => migrations(engine, report) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw error;
}
