import { type SQLQueryBindings, Database as SqliteFile, type Statement } from "bun:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { Recent } from "../base/recent.ts";
import { CommitGroups, type GroupedTransaction } from "./commit-groups.ts";
import { hasIndex, hasPending, indexPending } from "./link-search.ts";
import { isBusy } from "./sqlite-busy.ts";

/** How long a statement sleeps in its thread, waiting for another connection's write, before it fails. */
const busyTimeoutMs = 5_000;
/**
 * How much of that the main thread sleeps through at once, every redirect with it: a transaction of the counters takes
 * some two milliseconds. The rest is waited for in between tries, see CommitGroups.
 */
const sleepMsMax = 5;
/**
 * Pages that the log may hold before a commit itself moves them into the file: 64 MiB. A thread does so four times a
 * second, so that no visitor waits for it; this is the bound for when that thread does not come to it.
 */
const logPagesMax = 16 * 1024;
/** Of address space, not of memory: more than a file of a hundred million links. */
const mappedBytesMax = 64 * 1024 ** 3;
/** Pages held in memory, in KiB; the whole of a small instance, the upper tree levels of a large one. */
const pageCacheKib = 64 * 1024;
/** Prepared statements kept, by their text: more than the program has. Bun itself keeps the first 20 ever asked for. */
const statementsMax = 500;

/**
 * What power loss can cost: "full" nothing that was committed; "lossy" the last commits, though never the file's
 * integrity. For a cursor that is committed with its effects, lossy only means doing the last steps again.
 * The main thread's connection is the full one. A lossy one may block its thread for all of busyTimeoutMs.
 */
export type Durability = "full" | "lossy";

/** What a dialect tells after each commit, and the clock by which it waits and groups. */
export type DialectOptions = { onCommit(): void; now(): number };

/** The Kysely dialect over the SQLite file at `path`, made when absent. */
export function sqliteDialect(path: string, durability: Durability, options: Partial<DialectOptions> = {}): Dialect {
  const file = new SqliteFile(path, { create: true, readwrite: true });
  // First of all, so that the pragmas below wait for a lock too instead of failing.
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // Readers (redirect look-ups, backups) never wait for a writer, nor the writer for them.
  file.run("PRAGMA journal_mode = WAL");
  // FULL syncs at each commit, NORMAL only at checkpoints.
  file.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  // SQLite leaves foreign keys unchecked unless every connection asks.
  file.run("PRAGMA foreign_keys = ON");
  file.run(`PRAGMA wal_autocheckpoint = ${logPagesMax}`);
  file.run(`PRAGMA cache_size = -${pageCacheKib}`);
  // What is deleted, such as the salts that hide visitors, is overwritten and not only forgotten.
  file.run("PRAGMA secure_delete = ON");
  if (durability === "full") file.run(`PRAGMA busy_timeout = ${sleepMsMax}`);
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new GroupingDriver(file, { onCommit() {}, now: () => performance.now(), ...options }),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Lends the one connection to everybody; transactions share their commits, other statements come between them. */
class GroupingDriver implements Driver {
  readonly #file: SqliteFile;
  readonly #statements: Statements;
  readonly #groups: CommitGroups;

  constructor(file: SqliteFile, options: DialectOptions) {
    const statements = new Statements(file);
    this.#file = file;
    this.#statements = statements;
    const run = (sql: string) => statements.get(sql).statement.run();
    const beforeCommit = searchIndexer(statements);
    this.#groups = new CommitGroups({
      run,
      isInTransaction: () => file.inTransaction,
      isBusy,
      beforeCommit,
      ...options,
    });
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<GroupingConnection> {
    return new GroupingConnection(this.#statements, this.#groups);
  }

  async beginTransaction(connection: GroupingConnection): Promise<void> {
    connection.transaction = await this.#groups.begin();
  }

  async commitTransaction({ transaction }: GroupingConnection): Promise<void> {
    if (transaction !== undefined) await this.#groups.commit(transaction);
  }

  async rollbackTransaction({ transaction }: GroupingConnection): Promise<void> {
    if (transaction !== undefined) await this.#groups.rollback(transaction);
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#file.close();
  }
}

/** A function that indexes the links a group has changed. */
function searchIndexer(statements: Statements): () => void {
  let isKept = false;
  const isTrue = (sql: string) => statements.get(sql).statement.get() !== null;
  return () => {
    isKept ||= isTrue(hasIndex);
    if (!isKept || !isTrue(hasPending)) return;
    for (const sql of indexPending) statements.get(sql).statement.run();
  };
}

class GroupingConnection implements DatabaseConnection {
  readonly #statements: Statements;
  readonly #groups: CommitGroups;
  /** Undefined outside a transaction. */
  transaction: GroupedTransaction | undefined;

  constructor(statements: Statements, groups: CommitGroups) {
    this.#statements = statements;
    this.#groups = groups;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const execute = () => this.#statements.execute<Row>(query);
    if (this.transaction === undefined) return await this.#groups.outside(execute);
    return this.#groups.inside(this.transaction, execute);
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("Nothing streams from SQLite: the one connection would be held for as long as the reader likes.");
  }
}

type Prepared = { statement: ReturnType<SqliteFile["prepare"]>; returnsRows: boolean };

/** The file's prepared statements: preparing one anew takes longer than most take to run. */
class Statements {
  readonly #file: SqliteFile;
  readonly #prepared = new Recent<string, Prepared>(statementsMax);

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  get(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#file.prepare<unknown, SQLQueryBindings[]>(sql);
    const prepared = { statement, returnsRows: statement.columnNames.length > 0 };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  execute<Row>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): QueryResult<Row> {
    const { statement, returnsRows } = this.get(sql);
    // The types of rows are Kysely's, which it derives from the query.
    if (returnsRows) return { rows: statement.all(...bindings(parameters)) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...bindings(parameters));
    // A statement knows the columns of the tables as they were when it was prepared.
    if (changesTables.test(sql)) this.#prepared.clear();
    return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
  }
}

const changesTables = /^\s*(create|alter|drop)\s/i;

/** A read-only connection; bun:sqlite's own interface. */
export type SqliteReader = SqliteFile;

/** A query of such a connection, prepared: its rows, and what it is asked with. */
export type SqliteQuery<Row, Parameters extends SQLQueryBindings[]> = Statement<Row, Parameters>;

/** A second, read-only connection with prepared statements of its own, for look-ups that must not wait in a queue. */
export function openSqliteReader(path: string): SqliteReader {
  const file = new SqliteFile(path, { readonly: true });
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // Pages where the system holds them, without a copy: a link among two million is found in 8 instead of 14 µs. Nothing
  // ever shortens the file, so that what is mapped stays there.
  file.run(`PRAGMA mmap_size = ${mappedBytesMax}`);
  return file;
}

/** A read-only connection that answers queries as they come from Kysely. */
export type SqliteRows = { read(query: Pick<CompiledQuery, "sql" | "parameters">): unknown[]; close(): void };

/** Opens a read-only connection for queries of any text; see openSqliteReader. */
export function openSqliteRows(path: string): SqliteRows {
  const file = openSqliteReader(path);
  const statements = new Statements(file);
  return { read: (query) => statements.execute<unknown>(query).rows, close: () => file.close() };
}

function bindings(parameters: ReadonlyArray<unknown>): SQLQueryBindings[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      return value;
    }
    throw new TypeError(`The schema has texts, numbers and nulls only; a ${typeof value} was bound.`);
  });
}
