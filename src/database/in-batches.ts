import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transact.ts";

/** Rows of a part; what a row costs is seen from the part before, since a link may have hundreds of kilobytes. */
const batchRowsMin = 10;
const batchRowsMax = 1_000;
/** How long a part may keep the event loop, in which no visitor is answered. */
const batchMsMax = 5;
/** After that many parts the rest is left to the caller's own transaction: somebody adds rows as fast as they go. */
const batchesMax = 100_000;

/**
 * Changes rows in transactions of their own, until a part finds fewer than it may change; others write and visitors are
 * answered in between. `changeBatch` changes `rowsMax` rows at most, and says how many there were.
 */
export async function inBatches(
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
