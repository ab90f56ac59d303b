import { type Kysely, sql, type Transaction } from "kysely";
import type { LinkTally, Tally } from "../clicks/ingest.ts";
import type { Schema } from "../database/schema.ts";

const reader = "counters";

/** How far the link counters have come in a spool; 0 for one never seen. */
export async function countersCursor(db: Kysely<Schema>, spoolId: string): Promise<number> {
  const row = await db
    .selectFrom("cursors")
    .select("position")
    .where("reader", "=", reader)
    .where("spoolId", "=", spoolId)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/**
 * Adds a tally to `clicks` and `lastClicked` of its links and moves the cursor, in one transaction.
 * Guarantee: idempotent, since a tally that does not begin at the cursor changes nothing. Links deleted meanwhile are
 * passed over.
 */
export async function applyTally(db: Kysely<Schema>, spoolId: string, { from, to, links }: Tally): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto("cursors")
      .values({ reader, spoolId, position: 0 })
      .onConflict((conflict) => conflict.columns(["reader", "spoolId"]).doNothing())
      .execute();
    const moved = await tx
      .updateTable("cursors")
      .set({ position: to })
      .where("reader", "=", reader)
      .where("spoolId", "=", spoolId)
      .where("position", "=", from)
      .executeTakeFirstOrThrow();
    if (moved.numUpdatedRows === 0n) return;
    if (links.length > 0) await addClicks(tx, links);
  });
}

/** One statement for all links: on SQLite a statement each would hold the event loop for a tenth of a second. */
async function addClicks(tx: Transaction<Schema>, links: readonly LinkTally[]): Promise<void> {
  const rows = links.map(
    ({ linkId, clicks, lastClicked }) =>
      sql`(cast(${linkId} as text), cast(${clicks} as bigint), cast(${lastClicked} as bigint))`,
  );
  await sql`
    update "links" set
      "clicks" = "clicks" + "tally"."column2",
      "lastClicked" = case when "lastClicked" > "tally"."column3" then "lastClicked" else "tally"."column3" end
    from (values ${sql.join(rows)}) as "tally"
    where "links"."id" = "tally"."column1"`.execute(tx);
}
