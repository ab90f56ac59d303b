import { Kysely, Migrator, sql } from "kysely";
import { migrations } from "./migrations/migrations.ts";
import { postgresDialect } from "./postgres.ts";
import type { Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite.ts";

export type Db = Kysely<Schema>;
export type Engine = "sqlite" | "postgres";

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
  const engine = location.kind;
  const dialect = location.kind === "sqlite" ? sqliteDialect(location.path) : postgresDialect(location.url);
  const db = new Kysely<Schema>({ dialect });
  try {
    await migrate(db, engine);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    engine,
    sqlitePath: location.kind === "sqlite" ? location.path : undefined,
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
