import { AsyncLocalStorage } from "node:async_hooks";
import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";

const triesMax = 8;

/** What PostgreSQL calls a transaction that only stood in another's way; SQLite runs them one by one. */
const transientFailures = new Set([
  "40P01", // A deadlock, of which this transaction was made the victim.
  "40001", // Could not be put in an order with others.
  "23503", // What was found was deleted before it could be referred to; the next try does not find it.
]);

/**
 * What a caller above adds to the transactions of the verb it runs: a precondition that has to hold in the very
 * transaction that makes the change, or a note that is kept exactly when the change is.
 */
export type TransactionHook = {
  /** Runs first in each transaction, again with each try; what it throws ends the transaction and reaches the caller. */
  before(tx: Tx): Promise<void>;
  /** Told after each commit. */
  committed(): void;
  /** Whether no other change may fit between what `before` sees and what the work writes. */
  isRepeatableRead: boolean;
};

const hooks = new AsyncLocalStorage<TransactionHook>();

/** Runs the work; every transaction it makes has the companion in it, so that verbs need not know of it. */
export async function withTransactionHook<Result>(hook: TransactionHook, work: () => Promise<Result>): Promise<Result> {
  return await hooks.run(hook, work);
}

/**
 * Runs the work in a transaction, and again from the start where another transaction stood in its way: what is rolled
 * back leaves nothing behind. The work must do nothing but read and write through `tx`: on SQLite, where works at the
 * same moment share one commit (see CommitGroups), all others wait for it meanwhile.
 * Guarantee: resolves, and rejects, after the commit.
 */
export async function transact<Result>(db: Kysely<Schema>, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const hook = hooks.getStore();
  for (let tries = 1; ; tries++) {
    try {
      return hook === undefined ? await db.transaction().execute(work) : await transactWithHook(db, hook, work);
    } catch (error) {
      if (tries >= triesMax || !isTransient(error)) throw error;
    }
  }
}

/**
 * On PostgreSQL, repeatable read turns a change that is committed between an exact companion's look and the work's write
 * into a failure (40001), and thus into another try whose look sees it. SQLite runs transactions one by one, and takes
 * no notice of the level.
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
