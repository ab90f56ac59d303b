import type { Click } from "../../click.ts";
import type { LogRange } from "../../store.ts";
import type { RecordedBatch } from "./batch-log.ts";
import type { StoreConnection } from "./connection.ts";
import { clickColumns, clickValues } from "./rows.ts";
import { binding } from "./sql.ts";

/**
 * Stores a batch, exactly once although ClickHouse has no transactions:
 *
 * 1. The bounds of a batch are recorded in the batch log, then its rows are inserted, and then the cursor moves.
 * 2. Each insert is one part, which is stored whole or not at all. A batch whose clicks fall into several months is one
 *    insert for each month, since a part holds one month. On a cluster, it is one part on each shard, and a failure may
 *    leave those of some shards.
 * 3. An insert whose result is unknown is repeated without the rows that are found; and while its first attempt may still
 *    run, its token makes ClickHouse drop one of the two.
 */
export async function insert(connection: StoreConnection, batch: LogRange, rows: readonly Click[]): Promise<void> {
  const { clickHouse, log } = connection;
  const recorded = await log.record(batch);
  if (recorded === undefined) return;
  for (const [month, clicks] of Map.groupBy(rows, ({ time }) => monthOf(time))) {
    const stored = recorded.isRepeated ? await storedIds(connection, recorded, month) : new Set();
    const missing = clicks.filter(({ id }) => !stored.has(id));
    if (missing.length === 0) continue;
    const values = missing.map((click) => clickValues(click, recorded.number));
    await clickHouse.insert("clicks", clickColumns, values, tokenOf(recorded, month));
  }
  await log.complete(recorded);
}

/**
 * The token of an insert: the same when it is repeated. With the time of recording, because a PostgreSQL that was restored
 * from a backup records the same batch again, after its rows were deleted.
 */
function tokenOf({ spoolId, from, to, recordedAt }: RecordedBatch, month: number): string {
  return [spoolId, from, to, recordedAt, month].join(":");
}

/** The month of an instant in UTC, such as 202611, as toYYYYMM has it. */
function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The ids of the clicks of a month that a batch has stored. */
async function storedIds(
  connection: StoreConnection,
  { number }: RecordedBatch,
  month: number,
): Promise<ReadonlySet<string>> {
  const { parameters, bind } = binding();
  const sql = `SELECT toString(id) AS clickId FROM clicks
WHERE batch = ${bind("UInt64", number)} AND toYYYYMM(time) = ${bind("UInt32", month)}`;
  return new Set((await connection.read({ sql, parameters })).map(({ clickId }) => String(clickId)));
}
