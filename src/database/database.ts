import { Kysely, Migrator, sql } from "kysely";
import { migrations } from "./migrations/migrations.ts";
import { postgresDialect } from "./postgres.ts";
import type { Schema } from "./schema.ts";
import { type Durability, sqliteDialect } from "./sqlite.ts";

/** The relational database as verbs use it: queries over the schema, on either engine. */
export type Db = Kysely<Schema>;
/** The relational engines there are. */
export type Engine = "sqlite" | "postgres";

/** An opened relational database, and what engine it is. */
export type Database = {
  db: Db;
  engine: Engine;
  /** Where the SQLite file lies; undefined on PostgreSQL. */
  sqlitePath: string | undefined;
  close(): Promise<void>;
};

/** Which database to open: a `postgres://` url, or the path of a SQLite file. */
export type DatabaseLocation = { kind: "sqlite"; path: string } | { kind: "postgres"; url: string };

/** Opens the relational database and brings its tables up to date; throws when a migration fails. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  const database = connect(location, "full");
  try {
    await migrate(database.db, database.engine);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Opens a database whose tables are up to date; `durability` is SQLite's, see sqliteDialect. */
export function connect(location: DatabaseLocation, durability: Durability): Database {
  const isSqlite = location.kind === "sqlite";
  const dialect = isSqlite ? sqliteDialect(location.path, durability) : postgresDialect(location.url);
  const db = new Kysely<Schema>({ dialect });
  return {
    db,
    engine: location.kind,
    sqlitePath: isSqlite ? location.path : undefined,
    close: () => db.destroy(),
  };
}

async function migrate(db: Db, engine: Engine): Promise<void> {
  const provider = { getMigrations: async () => migrations(engine) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw error;
}

/** Answers whether the database can be asked at all. */
export async function isReachable(db: Db): Promise<boolean> {
  try {
    await sql`select 1`.execute(db);
    return true;
  } catch {
    // The reason does not matter to a readiness probe; the queries that fail for it are logged where they fail.
    return false;
  }
}
