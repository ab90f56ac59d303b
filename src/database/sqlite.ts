import { type SQLQueryBindings, Database as SqliteFile } from "bun:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from "kysely";

/** How long a statement waits for another connection's write before it fails. */
const busyTimeoutMs = 5_000;
/**
 * How much of that the main thread sleeps through at once, every redirect with it: a transaction of the counters takes
 * some two milliseconds. The rest is waited for in between tries.
 */
const sleepMsMax = 5;
const retryEveryMs = 10;
/** Pages held in memory, in KiB; the whole of a small instance, the upper tree levels of a large one. */
const pageCacheKib = 64 * 1024;

/**
 * What power loss can cost: "full" nothing that was committed; "lossy" the last commits, though never the file's
 * integrity. For a cursor that is committed with its effects, lossy only means doing the last steps again.
 * The main thread's connection is the full one. A lossy one may block its thread for all of busyTimeoutMs.
 */
export type Durability = "full" | "lossy";

/** The Kysely dialect over the SQLite file at `path`, made when absent. `onCommit` is told after each transaction. */
export function sqliteDialect(path: string, durability: Durability, onCommit: () => void = () => {}): Dialect {
  const file = new SqliteFile(path, { create: true, readwrite: true });
  // First of all, so that the pragmas below wait for a lock too instead of failing.
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // Readers (redirect look-ups, backups) never wait for a writer, nor the writer for them.
  file.run("PRAGMA journal_mode = WAL");
  // FULL syncs at each commit, NORMAL only at checkpoints.
  file.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  // SQLite leaves foreign keys unchecked unless every connection asks.
  file.run("PRAGMA foreign_keys = ON");
  file.run(`PRAGMA cache_size = -${pageCacheKib}`);
  // What is deleted, such as the salts that hide visitors, is overwritten and not only forgotten.
  file.run("PRAGMA secure_delete = ON");
  if (durability === "full") file.run(`PRAGMA busy_timeout = ${sleepMsMax}`);
  return new ImmediateSqliteDialect({ database: withKyselysInterface(file) }, onCommit);
}

/**
 * Transactions take the write lock at their beginning. One that begins by reading and writes later fails at once,
 * whatever the busy timeout, when another connection has committed in between (SQLITE_BUSY_SNAPSHOT).
 */
class ImmediateSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #onCommit: () => void;

  constructor(config: SqliteDialectConfig, onCommit: () => void) {
    super(config);
    this.#config = config;
    this.#onCommit = onCommit;
  }

  override createDriver(): Driver {
    return new ImmediateSqliteDriver(this.#config, this.#onCommit);
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #onCommit: () => void;
  #patient: PatientConnection | undefined;

  constructor(config: SqliteDialectConfig, onCommit: () => void) {
    super(config);
    this.#onCommit = onCommit;
  }

  /** There is one connection; the driver lends it to one caller at a time. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    this.#patient ??= new PatientConnection(connection);
    return this.#patient;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#onCommit();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

/**
 * Tries a statement again while another connection is writing, up to busyTimeoutMs, without blocking the thread.
 * Repeating is safe: a statement that found the file busy has changed nothing.
 */
class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const until = performance.now() + busyTimeoutMs;
    for (;;) {
      try {
        return await this.#connection.executeQuery<Row>(query);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error;
      }
      await Bun.sleep(retryEveryMs);
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, chunkSize);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}

/** A read-only connection; bun:sqlite's own interface. */
export type SqliteReader = SqliteFile;

/** A second, read-only connection with prepared statements of its own, for look-ups that must not wait in a queue. */
export function openSqliteReader(path: string): SqliteReader {
  const file = new SqliteFile(path, { readonly: true });
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  file.run(`PRAGMA cache_size = -${pageCacheKib}`);
  return file;
}

/**
 * Holds a lock for as long as this process lives; undefined when another process holds it. The lock is the operating
 * system's (by way of SQLite's own locking), so that no kill and no crash leaves it behind.
 */
export function tryLock(path: string): { release(): void } | undefined {
  const file = new SqliteFile(path, { create: true, readwrite: true });
  try {
    file.run("PRAGMA busy_timeout = 0");
    file.run("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release() {
      file.run("ROLLBACK");
      file.close();
    },
  };
}

/** Kysely speaks better-sqlite3's interface; this is the part of it that Bun's differs in. */
function withKyselysInterface(file: SqliteFile): SqliteDatabase {
  return {
    close: () => file.close(),
    prepare(sql): SqliteStatement {
      const statement = file.query<unknown, SQLQueryBindings[]>(sql);
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters) => statement.all(...bindings(parameters)),
        run: (parameters) => statement.run(...bindings(parameters)),
        iterate: (parameters) => statement.iterate(...bindings(parameters)),
      };
    },
  };
}

function bindings(parameters: ReadonlyArray<unknown>): SQLQueryBindings[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      return value;
    }
    throw new TypeError(`The schema has texts, numbers and nulls only; a ${typeof value} was bound.`);
  });
}
