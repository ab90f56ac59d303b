import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transact.ts";

/** Rows of a part; what a row costs is seen from the part before, since a link may have hundreds of kilobytes. */
const partRowsMin = 10;
const partRowsMax = 1_000;
/** How long a part may keep the event loop, in which no visitor is answered. */
const partMsMax = 5;
/** After that many parts the rest is left to the caller's own transaction: somebody adds rows as fast as they go. */
const partsMax = 100_000;

/**
 * Changes rows in transactions of their own, until a part finds fewer than it may change; others write and visitors are
 * answered in between. `changePart` changes `rowsMax` rows at most, and says how many there were.
 */
export async function inParts(
  db: Kysely<Schema>,
  changePart: (tx: Tx, rowsMax: number) => Promise<number | bigint>,
): Promise<void> {
  let rowsMax = partRowsMin;
  for (let part = 0; part < partsMax; part++) {
    const { changed, tookMs } = await transact(db, async (tx) => {
      const startedAt = performance.now();
      const changed = await changePart(tx, rowsMax);
      return { changed, tookMs: performance.now() - startedAt };
    });
    if (changed < rowsMax) return;
    if (tookMs > partMsMax) rowsMax = Math.max(partRowsMin, Math.floor(rowsMax / 2));
    else if (tookMs < partMsMax / 2) rowsMax = Math.min(partRowsMax, rowsMax * 2);
  }
}
