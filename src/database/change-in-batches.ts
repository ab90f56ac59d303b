import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transact.ts";

/** Rows of a batch. The previous batch tells the cost of a row, since a link may have hundreds of kilobytes. */
const batchRowsMin = 10;
const batchRowsMax = 1_000;
/** How long a batch may block the event loop, in which no visitor gets a response. */
const batchMsMax = 5;
/**
 * After this many batches the rest is left to the caller's own transaction: other callers add rows as fast as they are
 * changed.
 */
const batchesMax = 100_000;

/**
 * Changes rows in batches, each in its own transaction, until a batch finds fewer rows than it may change. Other
 * writers and visitors have their turn in between. `changeBatch` changes at most `rowsMax` rows, and returns how many.
 */
export async function changeInBatches(
  db: Kysely<Schema>,
  changeBatch: (tx: Tx, rowsMax: number) => Promise<number | bigint>,
): Promise<void> {
  let rowsMax = batchRowsMin;
  for (let batch = 0; batch < batchesMax; batch++) {
    const { changed, tookMs } = await transact(db, async (tx) => {
      const startedAt = performance.now();
      const changed = await changeBatch(tx, rowsMax);
      return { changed, tookMs: performance.now() - startedAt };
    });
    if (changed < rowsMax) return;
    if (tookMs > batchMsMax) rowsMax = Math.max(batchRowsMin, Math.floor(rowsMax / 2));
    else if (tookMs < batchMsMax / 2) rowsMax = Math.min(batchRowsMax, rowsMax * 2);
  }
}
