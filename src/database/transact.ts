import { AsyncLocalStorage } from "node:async_hooks";
import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";
import { hasChange } from "./transactions-with-changes.ts";

const triesMax = 8;

/** PostgreSQL's codes for a transaction that only conflicted with another; SQLite runs transactions one by one. */
const transientFailures = new Set([
  "40P01", // A deadlock, and this transaction was the victim.
  "40001", // The transactions could not be serialized.
  "23503", // A row was deleted before it could be referenced; the next attempt does not find it.
]);

/**
 * A hook of a caller in the transactions of the verb it runs: a precondition that must hold in the same transaction as
 * the change, or a record that is kept exactly when the change is.
 */
type TransactionHook = {
  /** Runs first in each transaction and each attempt; its error ends the transaction and reaches the caller. */
  before(tx: Tx): Promise<void>;
  /** Called after each commit. */
  committed(): void;
  /** True when no other change may be committed between `before` and the work's write. */
  isRepeatableRead: boolean;
};

const hooks = new AsyncLocalStorage<TransactionHook>();

/** Runs the work with a hook in each of its transactions, so that verbs need not know of the hook. */
export async function withTransactionHook<Result>(hook: TransactionHook, work: () => Promise<Result>): Promise<Result> {
  return await hooks.run(hook, work);
}

/** What a database's transactions with changes wait for after their commit. */
const waits = new WeakMap<Kysely<Schema>, () => Promise<void>>();

/** Makes each transaction of `db` that was marked with markChange resolve only after `wait`, which must not reject. */
export function waitAfterChanges(db: Kysely<Schema>, wait: () => Promise<void>): void {
  waits.set(db, wait);
}

/**
 * Runs the work in a transaction, and repeats it from the start after a conflict with another one, which leaves nothing
 * behind. The work must only read and write through `tx`: on SQLite, simultaneous transactions share one commit (see
 * CommitGroups), and all of them wait for it.
 * Guarantee: resolves and rejects after the commit, and resolves after the wait that waitAfterChanges has set.
 */
export async function transact<Result>(db: Kysely<Schema>, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const hook = hooks.getStore();
  for (let tries = 1; ; tries++) {
    let last: Tx | undefined;
    const remembered = (tx: Tx) => {
      last = tx;
      return work(tx);
    };
    try {
      const result = await (hook === undefined
        ? db.transaction().execute(remembered)
        : transactWithHook(db, hook, remembered));
      if (last !== undefined && hasChange(last)) await waits.get(db)?.();
      return result;
    } catch (error) {
      if (tries >= triesMax || !isTransient(error)) throw error;
    }
  }
}

/**
 * On PostgreSQL, repeatable read turns a change committed between the hook's read and the work's write into a failure
 * (40001), and so into another attempt that sees the change. SQLite runs transactions one by one and ignores the level.
 */
async function transactWithHook<Result>(
  db: Kysely<Schema>,
  hook: TransactionHook,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const result = await db
    .transaction()
    .setIsolationLevel(hook.isRepeatableRead ? "repeatable read" : "read committed")
    .execute(async (tx) => {
      await hook.before(tx);
      return await work(tx);
    });
  hook.committed();
  return result;
}

function isTransient(error: unknown): boolean {
  return error instanceof Error && "code" in error && transientFailures.has(String(error.code));
}
