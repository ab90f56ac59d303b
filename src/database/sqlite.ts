import { Database as SqliteFile } from "bun:sqlite";
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
import { isBusy } from "../base/file-lock.ts";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import { CommitGroups, type GroupedTransaction } from "./commit-groups.ts";
import { hasIndex, hasPending, indexPending } from "./link-search.ts";
import { busyTimeoutMs } from "./sqlite-busy.ts";
import { Statements } from "./sqlite-statements.ts";

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
/** Pages held in memory, in KiB; the whole of a small instance, the upper tree levels of a large one. */
const pageCacheKib = 64 * 1024;

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
function searchIndexer(statements: Statements): () => Promise<void> {
  let isKept = false;
  const isTrue = (sql: string) => statements.get(sql).statement.get() !== null;
  return async () => {
    isKept ||= isTrue(hasIndex);
    if (!isKept || !isTrue(hasPending)) return;
    // Each round takes some of them off; the triggers take off those of deleted links.
    while (isTrue(hasPending)) {
      for (const sql of indexPending) statements.get(sql).statement.run();
      await yieldIfSliceSpent();
    }
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
