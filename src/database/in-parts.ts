import type { Kysely } from "kysely";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transact.ts";

/** Rows of one part: some 5 ms of SQLite, in which no visitor is answered. */
const partRowsMax = 1_000;
/** After that many parts the rest is left to the caller's own transaction: somebody adds rows as fast as they go. */
const partsMax = 10_000;

/**
 * Changes rows in transactions of their own, until a part finds fewer than it may change; others write and visitors are
 * answered in between. `changePart` changes `rowsMax` rows at most, and says how many there were.
 */
export async function inParts(
  db: Kysely<Schema>,
  changePart: (tx: Tx, rowsMax: number) => Promise<number | bigint>,
): Promise<void> {
  for (let part = 0; part < partsMax; part++) {
    if ((await transact(db, (tx) => changePart(tx, partRowsMax))) < partRowsMax) return;
  }
}
