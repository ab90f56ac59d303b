import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { dayMs, utcDay } from "../base/time.ts";
import { type DaySalts, saltLifeMs } from "../clicks/visitor.ts";
import type { Database, Db } from "../database/database.ts";

/**
 * Makes the salts of today and tomorrow where they are missing, destroys those older than two days, and returns the
 * rest. Several nodes agree on one salt a day, because the first to write it wins.
 * Guarantee on SQLite: a destroyed salt is in no file any more. PostgreSQL keeps what it deletes until it has vacuumed
 * and recycled its log; docs/operations.md says so.
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
 * The salts that are there; for a redirect worker, which makes and destroys them itself only when nobody has for so long
 * that today's or tomorrow's is missing.
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
 * The file has overwritten what was deleted (secure_delete), but its log still holds it. Done each time, since another
 * connection at work may keep the log from being emptied; an hour later it will not.
 */
async function emptyLog(db: Db): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
