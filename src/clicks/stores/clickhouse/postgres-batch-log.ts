import type { Pool, PoolClient } from "pg";
import { openPostgresPool } from "../../../base/postgres-pool.ts";
import { hourMs } from "../../../base/time.ts";
import { cursorsInUse, TargetInUse } from "../../move.ts";
import { movedPrefix } from "../../moved-spools.ts";
import type { LogRange } from "../../store.ts";
import type { BatchLog, BatchSnapshot, RecordedBatch } from "./batch-log.ts";

/** Calls of the store are few: one insert at a time, and comparisons of an operator. */
const connectionsMax = 4;
/** How long stored batches are kept, for numbersOf. */
const keptMs = hourMs;
/** Old batches are deleted once per this many batches. */
const completedPerDeletion = 500;

/** A batch log in the relational database, whose migrations create the tables. Connects when it is first used. */
export function openPostgresBatchLog(url: string): BatchLog {
  const pool = openPostgresPool(url, connectionsMax);
  let completed = 0;

  return {
    async cursor(spoolId) {
      const { rows } = await pool.query<{ position: number }>(
        `SELECT "position" FROM "clickCursors" WHERE "spoolId" = $1`,
        [spoolId],
      );
      return rows[0]?.position ?? 0;
    },
    openBatch: async (spoolId) => (await findOpen(pool, spoolId))?.batch,
    record: (batch) => inTransaction(pool, (client) => record(client, batch)),
    async complete({ spoolId, to, number }) {
      await inTransaction(pool, async (client) => {
        await client.query(`UPDATE "clickCursors" SET "position" = $2 WHERE "spoolId" = $1 AND "position" < $2`, [
          spoolId,
          to,
        ]);
        await client.query(`UPDATE "clickBatches" SET "isStored" = 1 WHERE "number" = $1`, [number]);
      });
      completed++;
      if (completed % completedPerDeletion === 0) await deleteOld(pool);
    },
    snapshot: () => readSnapshot(pool),
    async use({ id, isEmpty }) {
      // A log of an earlier version has batches, but has not recorded their store.
      const { rowCount } = await pool.query(
        `UPDATE "clickBatchCounter" SET "storeId" = $1
         WHERE $2 OR "storeId" = $1 OR ("storeId" IS NULL AND "last" > 0)`,
        [id, isEmpty],
      );
      return rowCount !== 0;
    },
    async raiseNewest(number) {
      await pool.query(`UPDATE "clickBatchCounter" SET "last" = $1 WHERE "last" < $1`, [number]);
    },
    numbersOf: (range) => numbersOf(pool, range),
    async cursors() {
      const { rows } = await pool.query<{ spoolId: string; position: number }>(
        `SELECT "spoolId", "position" FROM "clickCursors"`,
      );
      return Object.fromEntries(rows.map(({ spoolId, position }) => [spoolId, position]));
    },
    replaceMoved: (cursors) => inTransaction(pool, (client) => replaceMoved(client, cursors)),
    close: () => pool.end(),
  };
}

type Queryable = Pick<Pool, "query">;

async function inTransaction<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    client.release();
    return result;
  } catch (error) {
    // A connection that failed is not used again, which rolls back.
    client.release(true);
    throw error;
  }
}

async function record(client: PoolClient, batch: LogRange): Promise<RecordedBatch | undefined> {
  const { spoolId, from, to } = batch;
  await client.query(`INSERT INTO "clickCursors" ("spoolId", "position") VALUES ($1, 0) ON CONFLICT DO NOTHING`, [
    spoolId,
  ]);
  // Locks the row, so that two inserts of one spool record one after the other.
  const { rows } = await client.query<{ position: number }>(
    `SELECT "position" FROM "clickCursors" WHERE "spoolId" = $1 FOR UPDATE`,
    [spoolId],
  );
  const cursor = rows[0]?.position ?? 0;
  if (to <= cursor) return undefined;
  if (from < cursor) throw new Error(`A batch from ${from} to ${to} straddles the store's cursor ${cursor}.`);
  const open = await findOpen(client, spoolId);
  if (open !== undefined) {
    const { number, recordedAt } = open;
    if (open.batch.from === from && open.batch.to === to) return { ...batch, number, recordedAt, isRepeated: true };
    throw new Error(
      `The batch from ${open.batch.from} to ${open.batch.to} of spool ${spoolId} must be stored before another one.`,
    );
  }
  // The counter's row stays locked until the commit, so that numbers become visible in their order.
  const counted = await client.query<{ last: number }>(
    `UPDATE "clickBatchCounter" SET "last" = "last" + 1 RETURNING "last"`,
  );
  const number = counted.rows[0]?.last;
  if (number === undefined) throw new Error("The table clickBatchCounter has no row.");
  const recordedAt = Date.now();
  await client.query(
    `INSERT INTO "clickBatches" ("number", "spoolId", "from", "to", "isStored", "recordedAt")
     VALUES ($1, $2, $3, $4, 0, $5)`,
    [number, spoolId, from, to, recordedAt],
  );
  return { ...batch, number, recordedAt, isRepeated: false };
}

type OpenBatch = { number: number; recordedAt: number; batch: LogRange };

async function findOpen(client: Queryable, spoolId: string): Promise<OpenBatch | undefined> {
  const { rows } = await client.query<{ number: number; from: number; to: number; recordedAt: number }>(
    `SELECT "number", "from", "to", "recordedAt" FROM "clickBatches" WHERE "spoolId" = $1 AND "isStored" = 0`,
    [spoolId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { number, from, to, recordedAt } = row;
  return { number, recordedAt, batch: { spoolId, from, to } };
}

async function deleteOld(pool: Pool): Promise<void> {
  await pool.query(`DELETE FROM "clickBatches" WHERE "isStored" = 1 AND "recordedAt" < $1`, [Date.now() - keptMs]);
}

/** One statement, so that all of it is of one instant. */
async function readSnapshot(pool: Pool): Promise<BatchSnapshot> {
  const { rows } = await pool.query<{ cursors: Record<string, number> | null; newest: number; open: number[] | null }>(
    `SELECT (SELECT json_object_agg("spoolId", "position") FROM "clickCursors" WHERE "position" > 0) AS "cursors",
            (SELECT "last" FROM "clickBatchCounter") AS "newest",
            (SELECT json_agg("number") FROM "clickBatches" WHERE "isStored" = 0) AS "open"`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL returned no row.");
  return { cursors: row.cursors ?? {}, newest: row.newest, open: row.open ?? [] };
}

async function numbersOf(pool: Pool, { spoolId, from, to }: LogRange) {
  const { rows } = await pool.query<{ lowest: number | null; highest: number | null; begin: number | null }>(
    `SELECT min("number") AS "lowest", max("number") AS "highest", min("from") AS "begin"
     FROM "clickBatches" WHERE "spoolId" = $1 AND "to" > $2 AND "from" < $3`,
    [spoolId, from, to],
  );
  const { lowest = null, highest = null, begin = null } = rows[0] ?? {};
  // Older batches of the range may have been deleted.
  if (lowest === null || highest === null || begin === null || begin > from) return undefined;
  return { lowest, highest };
}

async function replaceMoved(client: PoolClient, cursors: Readonly<Record<string, number>>): Promise<void> {
  // Keeps a service from recording its first cursor in between.
  await client.query(`LOCK TABLE "clickCursors" IN SHARE ROW EXCLUSIVE MODE`);
  const isMoved = `starts_with("spoolId", '${movedPrefix}')`;
  const { rowCount } = await client.query(`SELECT 1 FROM "clickCursors" WHERE NOT ${isMoved} LIMIT 1`);
  if (rowCount !== 0) throw new TargetInUse(cursorsInUse);
  await client.query(`DELETE FROM "clickBatches" WHERE ${isMoved}`);
  await client.query(`DELETE FROM "clickCursors" WHERE ${isMoved}`);
  await client.query(
    `INSERT INTO "clickCursors" ("spoolId", "position") SELECT * FROM unnest($1::text[], $2::int8[])`,
    [Object.keys(cursors), Object.values(cursors)],
  );
}
