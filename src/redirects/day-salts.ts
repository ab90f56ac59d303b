import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { dayMs, utcDay } from "../base/time.ts";
import { type DaySalts, saltLifeMs } from "../clicks/visitor.ts";
import type { Schema } from "../database/schema.ts";

/**
 * Makes the salts of today and tomorrow where they are missing, destroys those older than two days, and returns the
 * rest. Several nodes agree on one salt a day, because the first to write it wins.
 */
export async function renewDaySalts(db: Kysely<Schema>, now: number): Promise<DaySalts> {
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
  const rows = await db.selectFrom("daySalts").selectAll().execute();
  return new Map(rows.map(({ day, salt }) => [day, salt]));
}
