import { z } from "zod";
import type { App } from "../app.ts";
import { secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";

/** The last complete backup: when it began in milliseconds, its size, and its duration. */
export const LastBackup = z.object({ at: z.int(), bytes: z.int().min(0), seconds: z.int().min(0) });
type LastBackup = z.output<typeof LastBackup>;

/** The name of its row in the settings. */
const settingName = "lastBackup";

/** Remembers a complete backup, and shows it in the metrics of a running server. */
export async function recordBackup({ db, app }: { db: Db; app?: Pick<App, "metrics"> }, last: LastBackup) {
  const value = JSON.stringify(last);
  await db
    .insertInto("settings")
    .values({ name: settingName, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
  if (app !== undefined) show(app.metrics, last);
}

/** The last complete backup; null before the first one. */
export async function lastBackup(db: Db): Promise<LastBackup | null> {
  const row = await db.selectFrom("settings").select("value").where("name", "=", settingName).executeTakeFirst();
  return row === undefined ? null : LastBackup.parse(JSON.parse(row.value));
}

/** Shows the last backup in the metrics of a server that starts. */
export async function showLastBackup({ db, metrics }: Pick<App, "db" | "metrics">): Promise<void> {
  const last = await lastBackup(db);
  if (last !== null) show(metrics, last);
}

function show(metrics: App["metrics"], { at, bytes, seconds }: LastBackup): void {
  metrics.lastBackupTime.set(at / secondMs);
  metrics.lastBackupBytes.set(bytes);
  metrics.lastBackupSeconds.set(seconds);
}
