import { hourMs } from "../base/time.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import type { IdempotentCallsTable } from "../database/idempotent-calls-table.ts";

/** How long a POST with an Idempotency-Key is remembered. */
export const idempotencyMs = 24 * hourMs;
/** Remembered calls at most; the oldest are forgotten first. A link takes about 2 KB, other calls at most 17 KB. */
const callsMax = 500_000;
const stepRowsMax = 1_000;

/** A remembered POST. */
export type IdempotentCall = IdempotentCallsTable;
/** The outcome of a call. */
export type CallOutcome = Pick<IdempotentCall, "state" | "status" | "body" | "bytes">;

/** The call with this id; undefined if there was none within idempotencyMs. */
export async function findCall(db: Db, id: string, now: number): Promise<IdempotentCall | undefined> {
  const row = await db.selectFrom("idempotentCalls").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined || row.at > now - idempotencyMs) return row;
  await db.deleteFrom("idempotentCalls").where("id", "=", id).where("at", "=", row.at).execute();
  return undefined;
}

/** Remembers a call; false if it is remembered already, or another transaction is about to. */
export async function insertCall(db: Db, row: IdempotentCall): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("idempotentCalls")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Stores the outcome of a remembered call. */
export async function storeOutcome(db: Db, id: string, outcome: CallOutcome): Promise<void> {
  await db.updateTable("idempotentCalls").set(outcome).where("id", "=", id).execute();
}

/** The bytes of all responses stored for a workspace. */
export async function storedBytes(db: Db, workspaceId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom("idempotentCalls")
    .select((select) => select.fn.coalesce(select.fn.sum<number>("bytes"), select.lit(0)).as("bytes"))
    .where("workspaceId", "=", workspaceId)
    .where("bytes", ">", 0)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Deletes calls older than idempotencyMs, and the oldest beyond callsMax; "again" while more are waiting. */
export async function forgetIdempotentCalls({ db, now }: { db: Db; now: () => number }): Promise<"again" | "idle"> {
  const oldest = db.selectFrom("idempotentCalls").select(["id", "at"]).orderBy("at").limit(stepRowsMax);
  const excess = (await countCalls(db)) - callsMax;
  const rows = await oldest.execute();
  const due = rows.filter(({ at }, index) => at <= now() - idempotencyMs || index < excess).map(({ id }) => id);
  if (due.length === 0) return "idle";
  await db.deleteFrom("idempotentCalls").where("id", "in", due).execute();
  return due.length === stepRowsMax ? "again" : "idle";
}

async function countCalls(db: Db): Promise<number> {
  return await countRows(db.selectFrom("idempotentCalls"));
}
