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
 *    insert for each month, since a part holds one month.
 * 3. An insert whose result is unknown is repeated. If its rows are found, it is not; and while its first attempt may
 *    still run, its token makes ClickHouse drop one of the two.
 */
export async function insert(connection: StoreConnection, batch: LogRange, rows: readonly Click[]): Promise<void> {
  const { clickHouse, log } = connection;
  const recorded = await log.record(batch);
  if (recorded === undefined) return;
  for (const [month, clicks] of Map.groupBy(rows, ({ time }) => monthOf(time))) {
    if (recorded.isRepeated && (await isStored(connection, recorded, month))) continue;
    const values = clicks.map((click) => clickValues(click, recorded.number));
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

async function isStored(connection: StoreConnection, { number }: RecordedBatch, month: number): Promise<boolean> {
  const { parameters, bind } = binding();
  const sql = `SELECT 1 AS found FROM clicks
WHERE batch = ${bind("UInt64", number)} AND toYYYYMM(time) = ${bind("UInt32", month)} LIMIT 1`;
  return (await connection.read({ sql, parameters })).length > 0;
}
