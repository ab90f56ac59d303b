/**
 * Lets transactions of one SQLite connection share a COMMIT, because each COMMIT waits for the disk.
 *
 * 1. A group is BEGIN IMMEDIATE, some transactions one after the other, COMMIT. Each runs in a savepoint, so that it
 *    sees the earlier ones completely or not at all.
 * 2. A transaction that fails is rolled back to its savepoint, alone. A COMMIT that fails, fails its whole group; so
 *    does an error after which SQLite itself rolls the group back, such as a full disk. There are no deferred
 *    constraints, so no transaction can make the COMMIT fail.
 * 3. No transaction resolves or rejects before the group commits: a failure may be due to what another one wrote.
 *    `onCommit` is called before any of them resolves.
 * 4. A statement outside a transaction waits while a group is open, so that it sees only committed rows.
 * 5. A group begins when a tick brings no further transaction, so that simultaneous transactions share it and visitors
 *    get responses in between. transactionsMax and groupMsMax bound the wait.
 */

import { yieldIfSliceSpent } from "../base/time-slices.ts";

/** Transactions in a group; more would hardly save time, since their own work takes most of it by then. */
const transactionsMax = 64;
/** After this time no transaction joins an open group; none is cut short. */
const groupMsMax = 5;
/** Ticks in which transactions are gathered for a group. */
const gatheringTicksMax = 20;
/** How long a statement or transaction waits for another connection's write before it fails. */
const busyTimeoutMs = 5_000;
const retryEveryMs = 10;

/** The connection, as groups use it. */
type GroupedFile = {
  run(sql: string): void;
  isInTransaction(): boolean;
  /** True when an error only means that another connection is writing; the statement has changed nothing then. */
  isBusy(error: unknown): boolean;
  /** Runs at the end of every group, before its commit. */
  beforeCommit(): void | Promise<void>;
  onCommit(): void;
  /** Monotonic time in milliseconds. */
  now(): number;
};

/** A transaction of the open group. */
export type GroupedTransaction = {
  hasEnded: boolean;
  /** The failure that rolls back the whole group. */
  failure: unknown;
  readonly end: () => void;
  /** Rejects with the failure when the group is not committed. */
  readonly committed: Promise<void>;
};

type Waiting = { until: number; turn: PromiseWithResolvers<GroupedTransaction> };

/** Runs the transactions of a connection in groups, and keeps its other statements out of them. */
export class CommitGroups {
  readonly #file: GroupedFile;
  #waiting: Waiting[] = [];
  #isConducting = false;
  /** Resolves when the open group ends; undefined while none is open. */
  #open: Promise<void> | undefined;

  constructor(file: GroupedFile) {
    this.#file = file;
  }

  /** Resolves when the transaction may run; it then has the connection until its commit or rollback. */
  async begin(): Promise<GroupedTransaction> {
    const turn = Promise.withResolvers<GroupedTransaction>();
    this.#waiting.push({ until: this.#file.now() + busyTimeoutMs, turn });
    if (!this.#isConducting) {
      this.#isConducting = true;
      void this.#conduct();
    }
    return await turn.promise;
  }

  /** Runs a statement of a transaction. Throws its error, and after the group has failed always that failure. */
  inside<Result>(transaction: GroupedTransaction, statement: () => Result): Result {
    if (transaction.failure !== undefined) throw transaction.failure;
    try {
      return statement();
    } catch (error) {
      // Otherwise SQLite would commit the remaining statements one by one.
      if (!this.#file.isInTransaction()) transaction.failure = error;
      throw error;
    }
  }

  /** Runs a statement outside any transaction, and retries while another connection is writing. */
  async outside<Result>(statement: () => Result): Promise<Result> {
    const until = this.#file.now() + busyTimeoutMs;
    for (;;) {
      while (this.#open !== undefined) await this.#open;
      try {
        return statement();
      } catch (error) {
        if (!this.#file.isBusy(error) || this.#file.now() >= until) throw error;
      }
      await Bun.sleep(retryEveryMs);
    }
  }

  /** Ends a transaction; resolves when its group is committed. */
  async commit(transaction: GroupedTransaction): Promise<void> {
    try {
      this.inside(transaction, () => this.#file.run("RELEASE work"));
    } catch (error) {
      this.#undo(transaction);
      transaction.end();
      throw error;
    }
    transaction.end();
    await transaction.committed;
  }

  /**
   * Rolls a transaction back; resolves when the rest of its group is committed, since it may have failed because of
   * them.
   */
  async rollback(transaction: GroupedTransaction): Promise<void> {
    // After a failed commit nothing is left to roll back.
    if (transaction.hasEnded) return;
    this.#undo(transaction);
    transaction.end();
    await transaction.committed;
  }

  #undo(transaction: GroupedTransaction): void {
    if (transaction.failure !== undefined) return;
    try {
      this.#file.run("ROLLBACK TO work");
      this.#file.run("RELEASE work");
    } catch (error) {
      transaction.failure = error;
    }
  }

  async #conduct(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      if (await this.#beginGroup()) await this.#runGroup();
    }
    this.#isConducting = false;
  }

  /**
   * Waits for ticks while each brings another transaction: requests that arrive together reach theirs some ticks apart.
   */
  async #gather(): Promise<void> {
    for (let turns = 0; turns < gatheringTicksMax; turns++) {
      const before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (turns > 0 && this.#waiting.length === before) return;
    }
  }

  /** True when a group has begun; otherwise the transactions that timed out have been rejected. */
  async #beginGroup(): Promise<boolean> {
    try {
      // Takes the write lock at once: a transaction that reads first and writes later fails, whatever the busy timeout,
      // when another connection has committed in between (SQLITE_BUSY_SNAPSHOT).
      this.#file.run("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      const now = this.#file.now();
      const isTemporary = this.#file.isBusy(error);
      const refused = this.#waiting.filter(({ until }) => !isTemporary || now >= until);
      this.#waiting = this.#waiting.filter((one) => !refused.includes(one));
      for (const { turn } of refused) turn.reject(error);
    }
    if (this.#waiting.length > 0) await Bun.sleep(retryEveryMs);
    return false;
  }

  async #runGroup(): Promise<void> {
    const committed = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    // Every transaction of the group awaits it; a group that ends before its first transaction has none.
    committed.promise.catch(() => {});
    this.#open = closed.promise;
    try {
      await this.#runTransactions(committed.promise);
      await this.#file.beforeCommit();
      // A large commit takes milliseconds, so it gets its own tick.
      await yieldIfSliceSpent();
      this.#file.run("COMMIT");
      this.#file.onCommit();
      committed.resolve();
    } catch (error) {
      if (this.#file.isInTransaction()) this.#file.run("ROLLBACK");
      committed.reject(error);
    } finally {
      this.#open = undefined;
      closed.resolve();
    }
  }

  /** Runs the waiting transactions, as far as the bounds allow. Throws the failure of the group. */
  async #runTransactions(committed: Promise<void>): Promise<void> {
    const closesAt = this.#file.now() + groupMsMax;
    for (let count = 0; count < transactionsMax; count++) {
      if (count > 0 && this.#file.now() >= closesAt) return;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      await this.#runOne(next, committed);
    }
  }

  async #runOne({ turn }: Waiting, committed: Promise<void>): Promise<void> {
    try {
      this.#file.run("SAVEPOINT work");
    } catch (error) {
      turn.reject(error);
      throw error;
    }
    const ended = Promise.withResolvers<void>();
    const transaction: GroupedTransaction = {
      hasEnded: false,
      failure: undefined,
      end() {
        transaction.hasEnded = true;
        ended.resolve();
      },
      committed,
    };
    turn.resolve(transaction);
    await ended.promise;
    if (transaction.failure !== undefined) throw transaction.failure;
  }
}
