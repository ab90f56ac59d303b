import { Kysely, Migrator, sql } from "kysely";
import { visitorWaitMaxMs, withTimeout } from "./availability.ts";
import { openCommitCount } from "./commit-count.ts";
import type { Engine } from "./engine.ts";
import { migrations } from "./migrations/migrations.ts";
import type { ReportMigration } from "./migrations/report-migration.ts";
import { refuseMoved } from "./moved.ts";
import { postgresDialect } from "./postgres.ts";
import { readingDialect } from "./reading-thread.ts";
import type { Schema } from "./schema.ts";
import { type Durability, sqliteDialect } from "./sqlite.ts";
import { copyBeforeMigration } from "./sqlite-copy-before-migration.ts";
import { transact } from "./transact.ts";

/** The relational database as verbs use it: queries over the schema, on either engine. */
export type Db = Kysely<Schema>;

/** An open relational database, and its engine. */
export type Database = {
  db: Db;
  /** For queries that may take long and write nothing: on SQLite they run in a separate thread. */
  reads: Db;
  engine: Engine;
  /** Undefined on PostgreSQL. */
  sqlite: SqliteHandle | undefined;
  close(): Promise<void>;
};

/**
 * The path of the SQLite file, and the count of "full" commits of all processes; several transactions may share a
 * commit. See commit-count.ts.
 */
export type SqliteHandle = { path: string; commits(): number };

/** The database to open: a `postgres://` URL, or the path of a SQLite file. */
export type DatabaseLocation = { kind: "sqlite"; path: string } | { kind: "postgres"; url: string };

/**
 * Opens the relational database and migrates its tables, after a copy of a SQLite file that needs it; `report` receives
 * the progress. Throws when a migration fails.
 */
export async function openDatabase(location: DatabaseLocation, report: ReportMigration = () => {}): Promise<Database> {
  if (location.kind === "sqlite") await copyBeforeMigration(location.path, report);
  return await openTables(location, report, refuseMoved);
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

/** Opens a database whose tables are up to date; see sqliteDialect for `durability`. */
export function connect(location: DatabaseLocation, durability: Durability): Database {
  if (location.kind === "postgres") {
    const db = new Kysely<Schema>({ dialect: postgresDialect(location.url) });
    return { db, reads: db, engine: "postgres", sqlite: undefined, close: () => db.destroy() };
  }
  const { path } = location;
  const commits = openCommitCount(`${path}-commits`);
  // Only the counters use lossy connections, and no cache of the redirects depends on counters.
  const onCommit = durability === "full" ? commits.add : () => {};
  const dialect = sqliteDialect(path, durability, { onCommit });
  const db = new Kysely<Schema>({ dialect });
  const reads = new Kysely<Schema>({ dialect: readingDialect(path) });
  return {
    db,
    reads,
    engine: "sqlite",
    sqlite: { path, commits: commits.read },
    async close() {
      await reads.destroy();
      await db.destroy();
    },
  };
}

/**
 * Checkpoints SQLite: moves its log into its file, except what readers still need. Takes a while and syncs, so it
 * belongs in a thread that no visitor waits for. Does nothing on PostgreSQL.
 */
export async function checkpoint({ db, engine }: Pick<Database, "db" | "engine">): Promise<void> {
  if (engine === "sqlite") await sql`pragma wal_checkpoint(passive)`.execute(db);
}

async function migrate(db: Db, engine: Engine, report: ReportMigration): Promise<void> {
  const provider = { getMigrations: async () => migrations(engine, report) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw error;
}

/** True when the database answers. */
export async function isReachable(db: Db): Promise<boolean> {
  try {
    await withTimeout(visitorWaitMaxMs, sql`select 1`.execute(db));
    return true;
  } catch {
    // A readiness probe needs no reason; the failing queries themselves are logged.
    return false;
  }
}
