import { Kysely, sql } from "kysely";
import { visitorWaitMaxMs, withTimeout } from "./availability.ts";
import { openCommitCount } from "./commit-count.ts";
import type { Engine } from "./engine.ts";
import { postgresDialect } from "./postgres.ts";
import { readingDialect } from "./reading-thread.ts";
import type { Schema } from "./schema.ts";
import { type Durability, sqliteDialect } from "./sqlite.ts";

/** The relational database as verbs use it: queries over the schema, on either engine. */
export type Db = Kysely<Schema>;

/** An open relational database, and its engine. */
export type Database = {
  db: Db;
  /** For queries that may take long and write nothing: on SQLite they run in a separate thread. */
  reads: Db;
  /** Like `reads`, but in a second thread, so that slow queries do not delay short ones. */
  slowReads: Db;
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

/** Opens a database whose tables are up to date; see sqliteDialect for `durability`. */
export function connect(location: DatabaseLocation, durability: Durability): Database {
  if (location.kind === "postgres") {
    const db = new Kysely<Schema>({ dialect: postgresDialect(location.url) });
    return { db, reads: db, slowReads: db, engine: "postgres", sqlite: undefined, close: () => db.destroy() };
  }
  const { path } = location;
  const commits = openCommitCount(`${path}-commits`);
  // Only the counters use lossy connections, and no cache of the redirects depends on counters.
  const onCommit = durability === "full" ? commits.add : () => {};
  const dialect = sqliteDialect(path, durability, { onCommit });
  const db = new Kysely<Schema>({ dialect });
  const reads = new Kysely<Schema>({ dialect: readingDialect(path) });
  const slowReads = new Kysely<Schema>({ dialect: readingDialect(path) });
  return {
    db,
    reads,
    slowReads,
    engine: "sqlite",
    sqlite: { path, commits: commits.read },
    async close() {
      await reads.destroy();
      await slowReads.destroy();
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
