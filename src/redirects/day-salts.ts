import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { dayMs, utcDay } from "../base/time.ts";
import { type DaySalts, saltLifeMs } from "../clicks/visitor.ts";
import type { Database, Db } from "../database/database.ts";

/**
 * Creates missing salts of today and tomorrow, destroys those older than two days, and returns the rest. Several nodes
 * agree on one salt per day, because the first write wins.
 * Guarantee on SQLite: no file contains a destroyed salt. PostgreSQL keeps deleted rows until it has vacuumed and
 * recycled its log; see docs/operations.md.
 */
export async function renewDaySalts({ db, engine }: Pick<Database, "db" | "engine">, now: number): Promise<DaySalts> {
  await db
    .deleteFrom("daySalts")
    .where("day", "<=", utcDay(now - saltLifeMs))
    .execute();
  for (const day of [utcDay(now), utcDay(now + dayMs)]) {
    await db
      .insertInto("daySalts")
      .values({ day, salt: randomBytes(32).toString("hex") })
      .onConflict((conflict) => conflict.column("day").doNothing())
      .execute();
  }
  if (engine === "sqlite") await emptyLog(db);
  return await readDaySalts(db);
}

/**
 * The current salts, for a redirect worker. Renews them only when the main process was away so long that one is
 * missing.
 */
export async function currentDaySalts(database: Pick<Database, "db" | "engine">, now: number): Promise<DaySalts> {
  const salts = await readDaySalts(database.db);
  const isComplete = salts.has(utcDay(now)) && salts.has(utcDay(now + dayMs));
  return isComplete ? salts : await renewDaySalts(database, now);
}

async function readDaySalts(db: Db): Promise<DaySalts> {
  const rows = await db.selectFrom("daySalts").selectAll().execute();
  return new Map(rows.map(({ day, salt }) => [day, salt]));
}

/**
 * The file has overwritten deleted rows (secure_delete), but its write-ahead log still holds them. Called each time,
 * since an active connection may keep the log from being truncated; the next call, an hour later, will succeed.
 */
async function emptyLog(db: Db): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
