import { z } from "zod";
import type { App } from "../app.ts";
import { secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { readSetting, storeSetting } from "../database/settings.ts";

/** The last complete backup: when it began in milliseconds, its size, and its duration. */
export const LastBackup = z.object({ at: z.int(), bytes: z.int().min(0), seconds: z.int().min(0) });
type LastBackup = z.output<typeof LastBackup>;

/** The name of its row in the settings. */
const settingName = "lastBackup";

/** Remembers a complete backup, and shows it in the metrics of a running server. */
export async function recordBackup({ db, app }: { db: Db; app?: Pick<App, "metrics"> }, last: LastBackup) {
  await storeSetting(db, settingName, JSON.stringify(last));
  if (app !== undefined) show(app.metrics, last);
}

/** The last complete backup; null before the first one. */
export async function lastBackup(db: Db): Promise<LastBackup | null> {
  const last = await readSetting(db, settingName);
  return last === undefined ? null : LastBackup.parse(JSON.parse(last));
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
