import { Kysely, Migrator, PostgresAdapter, sql } from "kysely";
import { visitorWaitMaxMs, withTimeout } from "./availability.ts";
import { openCommitCount } from "./commit-count.ts";
import { migrations } from "./migrations/migrations.ts";
import { postgresDialect } from "./postgres.ts";
import { readingDialect } from "./reading-thread.ts";
import type { Schema } from "./schema.ts";
import { type Durability, sqliteDialect } from "./sqlite.ts";
import { transact } from "./transact.ts";

/** The relational database as verbs use it: queries over the schema, on either engine. */
export type Db = Kysely<Schema>;
/** The relational engines there are. */
export type Engine = "sqlite" | "postgres";

/** An opened relational database, and what engine it is. */
export type Database = {
  db: Db;
  /** For queries that may take long and write nothing: on SQLite they run in a thread of their own. */
  reads: Db;
  engine: Engine;
  /** Undefined on PostgreSQL. */
  sqlite: SqliteFacts | undefined;
  close(): Promise<void>;
};

/**
 * Where the SQLite file lies, and how often "full" connections to it have committed, of whichever process; several
 * transactions may share a commit. See commit-count.ts.
 */
export type SqliteFacts = { path: string; commits(): number };

/** Which database to open: a `postgres://` url, or the path of a SQLite file. */
export type DatabaseLocation = { kind: "sqlite"; path: string } | { kind: "postgres"; url: string };

/** Opens the relational database and brings its tables up to date; throws when a migration fails. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  const opened = connect(location, "full");
  try {
    await migrate(opened.db, opened.engine);
    // A commit of ours indexes the links that another program may have put into the file.
    await transact(opened.db, async () => {});
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** Opens a database whose tables are up to date; `durability` is SQLite's, see sqliteDialect. */
export function connect(location: DatabaseLocation, durability: Durability): Database {
  if (location.kind === "postgres") {
    const db = new Kysely<Schema>({ dialect: postgresDialect(location.url) });
    return { db, reads: db, engine: "postgres", sqlite: undefined, close: () => db.destroy() };
  }
  const { path } = location;
  const commits = openCommitCount(`${path}-commits`);
  // The lossy connections' commits are the counters', which no look-up remembers.
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
 * Moves what SQLite's log holds into its file, as far as no reader needs it where it is. Takes a while and syncs, so it
 * is for a thread that no visitor waits for. Nothing to do on PostgreSQL.
 */
export async function checkpoint({ db, engine }: Pick<Database, "db" | "engine">): Promise<void> {
  if (engine === "sqlite") await sql`pragma wal_checkpoint(passive)`.execute(db);
}

async function migrate(db: Db, engine: Engine): Promise<void> {
  const provider = { getMigrations: async () => migrations(engine) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw error;
}

/** The engine that queries through `db` run on. */
export function engineOf(db: Db): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite";
}

/** Answers whether the database can be asked at all. */
export async function isReachable(db: Db): Promise<boolean> {
  try {
    await withTimeout(visitorWaitMaxMs, sql`select 1`.execute(db));
    return true;
  } catch {
    // The reason does not matter to a readiness probe; the queries that fail for it are logged where they fail.
    return false;
  }
}
