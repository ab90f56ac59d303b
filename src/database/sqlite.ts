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
 * How long one attempt at the write lock may block the main thread, and with it every redirect: a transaction of the
 * counters takes about two milliseconds. The rest of the wait is spent between attempts; see CommitGroups.
 */
const sleepMsMax = 5;
/**
 * Pages in the log before a commit itself checkpoints them: 64 MiB. A thread checkpoints four times a second, so that
 * no visitor waits for it; this bound applies when that thread falls behind.
 */
const logPagesMax = 16 * 1024;
/** Page cache in KiB: the whole of a small instance, the upper tree levels of a large one. */
const pageCacheKib = 64 * 1024;

/**
 * The cost of a power loss: "full" loses nothing committed; "lossy" can lose the last commits, but never the file's
 * integrity. A cursor that is committed with its effects then only repeats the last steps. The main thread's connection
 * is "full". A lossy one may block its thread for all of busyTimeoutMs.
 */
export type Durability = "full" | "lossy";

/** The callback after each commit, and the clock of waits and groups. */
type DialectOptions = { onCommit(): void; now(): number };

/** The Kysely dialect over the SQLite file at `path`, which is created if absent. */
export function sqliteDialect(path: string, durability: Durability, options: Partial<DialectOptions> = {}): Dialect {
  const file = new SqliteFile(path, { create: true, readwrite: true });
  // Comes first, so that the pragmas below wait for a lock instead of failing.
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // Readers (redirect lookups, backups) never wait for a writer, nor the writer for them.
  file.run("PRAGMA journal_mode = WAL");
  // FULL syncs at each commit, NORMAL only at checkpoints.
  file.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  // SQLite checks foreign keys only on connections that enable it.
  file.run("PRAGMA foreign_keys = ON");
  file.run(`PRAGMA wal_autocheckpoint = ${logPagesMax}`);
  file.run(`PRAGMA cache_size = -${pageCacheKib}`);
  // Overwrites deleted bytes, such as the salts that hide visitors.
  file.run("PRAGMA secure_delete = ON");
  if (durability === "full") file.run(`PRAGMA busy_timeout = ${sleepMsMax}`);
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new GroupingDriver(file, { onCommit() {}, now: () => performance.now(), ...options }),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Shares one connection: transactions share their commits, other statements run between them. */
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

/** Returns the function that indexes the links a group has changed. */
function searchIndexer(statements: Statements): () => Promise<void> {
  let isKept = false;
  const isTrue = (sql: string) => statements.get(sql).statement.get() !== null;
  return async () => {
    isKept ||= isTrue(hasIndex);
    if (!isKept || !isTrue(hasPending)) return;
    // Each round indexes some of them; the triggers remove deleted links.
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
