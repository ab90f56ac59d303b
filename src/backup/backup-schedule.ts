/**
 * Scheduled backups. A due one is made by `waypost backup` in a child process, so that compressing and encrypting take
 * neither memory nor time from the process that answers visitors. The state is a row of the settings, so a restart
 * neither repeats nor skips a backup.
 */

import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { App } from "../app.ts";
import { hourMs, isoTime, minuteMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { readSetting, storeSetting } from "../database/settings.ts";
import { backupTimeMaxMs } from "./backup-names.ts";

/** The last attempts: when the last success and the last attempt began, and why attempts have failed since. */
const ScheduleState = z.object({
  succeededAt: z.int().nullable(),
  attemptedAt: z.int(),
  failures: z.int(),
  reason: z.string(),
});
type ScheduleState = z.output<typeof ScheduleState>;

const stateName = "backupSchedule";

/** The pause after the first failure; it doubles with each further one, up to the period of the schedule. */
const retryMinMs = 15 * minuteMs;
/** Characters kept of the child's messages, which end with the reason of a failure. */
const messagesMax = 4_000;
const mainFile = fileURLToPath(new URL("../main.ts", import.meta.url));

type ScheduleDeps = Pick<App, "config" | "db" | "log" | "metrics" | "now">;

/** Makes the scheduled backup if one is due; a step of a task. A failure is logged and remembered, and tried again later. */
export async function makeDueBackup(
  { config, db, log, metrics, now }: ScheduleDeps,
  stopping: AbortSignal,
): Promise<"idle"> {
  const { WAYPOST_BACKUP_TO: place, WAYPOST_BACKUP_EVERY_HOURS: hours } = config;
  metrics.backupInterval.set(place === undefined ? 0 : (hours * hourMs) / secondMs);
  if (place === undefined) return "idle";
  const before = await scheduleState(db);
  metrics.backupFailures.set(before?.failures ?? 0);
  const at = now();
  if (at < nextBackupAt(before, hours * hourMs, at)) return "idle";
  const made = await runBackup(stopping);
  if (made.kind === "stopped") return "idle";
  const after = stateAfter(before, at, made);
  await saveState(db, after);
  metrics.backupFailures.set(after.failures);
  if (made.kind === "made") {
    log.info("A scheduled backup was made.", { backup: made.output });
    return "idle";
  }
  const next = isoTime(nextBackupAt(after, hours * hourMs, at));
  log.error("A scheduled backup failed.", { reason: made.reason, failures: after.failures, next });
  return "idle";
}

/** What doctor shows about a schedule: its period, and the outcomes of its attempts. */
export const ScheduleReport = z.object({ everyMs: z.int(), state: ScheduleState.nullable() });

/** Reports the schedule; null when WAYPOST_BACKUP_TO is not set. */
export async function scheduleReport({
  config,
  db,
}: Pick<App, "config" | "db">): Promise<z.output<typeof ScheduleReport> | null> {
  if (config.WAYPOST_BACKUP_TO === undefined) return null;
  return { everyMs: config.WAYPOST_BACKUP_EVERY_HOURS * hourMs, state: await scheduleState(db) };
}

/** When the next backup is due, in milliseconds. A time after `now` is of a clock that was ahead, and counts as none. */
export function nextBackupAt(state: ScheduleState | null, everyMs: number, now: number): number {
  if (state === null) return 0;
  const after = (at: number | null, ms: number) => (at === null || at > now ? 0 : at + ms);
  const regular = after(state.succeededAt, everyMs);
  if (state.failures === 0) return regular;
  const pauseMs = Math.min(everyMs, retryMinMs * 2 ** Math.min(state.failures - 1, 20));
  return Math.max(regular, after(state.attemptedAt, pauseMs));
}

/** The state after an attempt that began at `at`. */
export function stateAfter(
  before: ScheduleState | null,
  at: number,
  outcome: { kind: "made" } | { kind: "failed"; reason: string },
): ScheduleState {
  if (outcome.kind === "made") return { succeededAt: at, attemptedAt: at, failures: 0, reason: "" };
  const { succeededAt = null, failures = 0 } = before ?? {};
  return { succeededAt, attemptedAt: at, failures: failures + 1, reason: outcome.reason };
}

/** The state of the schedule; null before the first attempt. */
async function scheduleState(db: Db): Promise<ScheduleState | null> {
  const state = await readSetting(db, stateName);
  return state === undefined ? null : ScheduleState.parse(JSON.parse(state));
}

async function saveState(db: Db, state: ScheduleState): Promise<void> {
  await storeSetting(db, stateName, JSON.stringify(state));
}

type Outcome = { kind: "made"; output: unknown } | { kind: "failed"; reason: string } | { kind: "stopped" };

async function runBackup(stopping: AbortSignal): Promise<Outcome> {
  if (stopping.aborted) return { kind: "stopped" };
  const child = Bun.spawn([process.execPath, "--no-orphans", "--no-install", mainFile, "backup"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  // The command answers SIGTERM by removing what it has written.
  const stop = () => child.kill("SIGTERM");
  stopping.addEventListener("abort", stop);
  const timer = setTimeout(stop, backupTimeMaxMs);
  try {
    const [output, messages] = await Promise.all([tailOf(child.stdout), tailOf(child.stderr)]);
    const code = await child.exited;
    if (code === 0) return { kind: "made", output: JSON.parse(output) };
    if (stopping.aborted) return { kind: "stopped" };
    return { kind: "failed", reason: reasonIn(messages) ?? `The command ended with the exit code ${code}.` };
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener("abort", stop);
  }
}

/** The line that a command prints for an expected error, or that the runtime prints for any other. */
function reasonIn(messages: string): string | undefined {
  const [, reason] = /^(?:waypost|error): (.+)$/m.exec(messages) ?? [];
  return reason;
}

async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-messagesMax);
  return text;
}
