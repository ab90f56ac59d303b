import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";

const triesMax = 8;

/** What PostgreSQL calls a transaction that only stood in another's way; SQLite runs them one by one. */
const passingFailures = new Set([
  "40P01", // A deadlock, of which this transaction was made the victim.
  "40001", // Could not be put in an order with others.
  "23503", // What was found was deleted before it could be referred to; the next try does not find it.
]);

/**
 * Runs the work in a transaction, and again from the start where another transaction stood in its way: what is rolled
 * back leaves nothing behind. The work must do nothing but read and write through `tx`: on SQLite, where works at the
 * same moment share one commit (see CommitGroups), all others wait for it meanwhile.
 * Guarantee: resolves, and rejects, after the commit.
 */
export async function transact<Result>(db: Kysely<Schema>, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries >= triesMax || !isPassing(error)) throw error;
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && "code" in error && passingFailures.has(String(error.code));
}
