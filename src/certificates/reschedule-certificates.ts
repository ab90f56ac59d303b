import { dayMs } from "../base/time.ts";
import { changeInBatches } from "../database/change-in-batches.ts";
import type { Db } from "../database/database.ts";

/** Upper bound of the wait for an attempt that is no renewal: an authority may ask for 30 days. */
const waitMaxMs = 31 * dayMs;

/**
 * Makes names due whose next attempt was set while the clock was ahead. Otherwise nothing is ordered for them until that
 * time comes, perhaps years later. A renewal is before the end of its certificate.
 */
export async function rescheduleCertificates({ db, now }: { db: Db; now: () => number }): Promise<void> {
  const at = now();
  await changeInBatches(db, async (tx, rowsMax) => {
    const ahead = tx
      .selectFrom("certificates")
      .select("name")
      .where("nextAt", ">", at + waitMaxMs)
      .where((where) => where.or([where("notAfter", "is", null), where("nextAt", ">=", where.ref("notAfter"))]))
      .limit(rowsMax);
    const { numUpdatedRows } = await tx
      .updateTable("certificates")
      .set({ nextAt: at, triedAt: null })
      .where("name", "in", ahead)
      .executeTakeFirstOrThrow();
    return numUpdatedRows;
  });
}
