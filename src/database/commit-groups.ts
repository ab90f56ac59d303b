/**
 * Transactions of one SQLite connection that share a COMMIT, because each COMMIT waits for the disk.
 *
 * 1. A group is BEGIN IMMEDIATE, some transactions one after the other, COMMIT. Each runs in a savepoint from its begin
 *    to its end, so that it sees those before it whole or not at all.
 * 2. One that fails is rolled back to its savepoint, alone. A COMMIT that fails, fails all of its group; so does an error
 *    for which SQLite itself gives the whole group up, such as a full disk. There are no deferred constraints, which
 *    would let the COMMIT fail for one transaction's fault.
 * 3. Nobody hears of an end before the COMMIT, not even who failed: the reason may be what another had written.
 *    `onCommit` is told before anybody.
 * 4. A statement outside a transaction waits while a group is open, so that it sees only what is committed.
 * 5. A group begins when a turn of the event loop brings no further transaction, so that what came in together shares
 *    it and visitors are answered in between. transactionsMax and groupMsMax bound how long they wait.
 */

import { yieldIfSliceSpent } from "../base/time-slices.ts";

/** Transactions in a group; more would hardly save time, since by then most of it is their own work. */
const transactionsMax = 64;
/** No transaction joins a group that has been open for longer; one is never cut short. */
const groupMsMax = 5;
/** Turns of the event loop in which transactions are gathered for a group. */
const gatheringTurnsMax = 20;
/** How long a statement or transaction waits for another connection's write before it fails. */
const busyTimeoutMs = 5_000;
const retryEveryMs = 10;

/** The connection, as far as groups use it. */
export type GroupedFile = {
  run(sql: string): void;
  isInTransaction(): boolean;
  /** Whether an error only says that another connection is writing; the statement has changed nothing then. */
  isBusy(error: unknown): boolean;
  /** What belongs to every commit; runs inside the group, behind its transactions. */
  beforeCommit(): void | Promise<void>;
  onCommit(): void;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
};

/** A transaction in its turn. */
export type GroupedTransaction = {
  hasEnded: boolean;
  /** Why the whole group cannot be committed any more. */
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
  /** Resolves when the open group has ended; undefined while none is open. */
  #open: Promise<void> | undefined;

  constructor(file: GroupedFile) {
    this.#file = file;
  }

  /** Resolves when it is the transaction's turn; nothing else reaches the connection until its commit or rollback. */
  async begin(): Promise<GroupedTransaction> {
    const turn = Promise.withResolvers<GroupedTransaction>();
    this.#waiting.push({ until: this.#file.now() + busyTimeoutMs, turn });
    if (!this.#isConducting) {
      this.#isConducting = true;
      void this.#conduct();
    }
    return await turn.promise;
  }

  /** Runs a statement of a transaction. Throws what it throws, and for ever the failure that has ended the group. */
  inside<Result>(transaction: GroupedTransaction, statement: () => Result): Result {
    if (transaction.failure !== undefined) throw transaction.failure;
    try {
      return statement();
    } catch (error) {
      // What came after would be committed at once, statement by statement.
      if (!this.#file.isInTransaction()) transaction.failure = error;
      throw error;
    }
  }

  /** Runs a statement that belongs to no transaction, and again while another connection is writing. */
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

  /** Undoes a transaction; resolves when the others of its group are committed, since it may have failed on them. */
  async rollback(transaction: GroupedTransaction): Promise<void> {
    // After a failed commit there is nothing left to undo.
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
   * Lets turns of the event loop pass for as long as each brings another transaction: requests that came in together
   * reach theirs some turns apart.
   */
  async #gather(): Promise<void> {
    for (let turns = 0; turns < gatheringTurnsMax; turns++) {
      const before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (turns > 0 && this.#waiting.length === before) return;
    }
  }

  /** Whether a group has begun; otherwise those who cannot wait any longer have been told. */
  async #beginGroup(): Promise<boolean> {
    try {
      // The write lock is taken at once: a transaction that reads first and writes later fails, whatever the busy
      // timeout, when another connection has committed in between (SQLITE_BUSY_SNAPSHOT).
      this.#file.run("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      const now = this.#file.now();
      const isPassing = this.#file.isBusy(error);
      const refused = this.#waiting.filter(({ until }) => !isPassing || now >= until);
      this.#waiting = this.#waiting.filter((one) => !refused.includes(one));
      for (const { turn } of refused) turn.reject(error);
    }
    if (this.#waiting.length > 0) await Bun.sleep(retryEveryMs);
    return false;
  }

  async #runGroup(): Promise<void> {
    const committed = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    // Everyone in the group waits for it; a group that ends before its first transaction has nobody to hear of it.
    committed.promise.catch(() => {});
    this.#open = closed.promise;
    try {
      await this.#runTransactions(committed.promise);
      await this.#file.beforeCommit();
      // A large commit takes milliseconds: not in a turn that other work has kept already.
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

  /** Gives those who wait their turns, as far as the bounds allow. Throws the failure of the group. */
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
