/** Names of backups that Waypost chooses: `waypost-SERIES-TIME.tar.zst`, or `.age` when encrypted. */
import { hourMs } from "../base/time.ts";

/** The name of a backup. The series tells the backups of one service from those of others in the same place. */
export function backupName(series: string, at: number, isEncrypted: boolean): string {
  return `${seriesPrefix(series)}${timeOf(at)}.${isEncrypted ? "age" : "tar.zst"}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
}

/** The beginning of all names of a series. */
export function seriesPrefix(series: string): string {
  return `waypost-${series}-`;
}

/**
 * Returns the names of a series to delete so that `written`, which was just made, and the newest others remain, `keep` in
 * all. Never returns other names. A clock that was ahead for some time does not make it delete every new backup.
 */
export function surplusBackups(
  names: readonly string[],
  { series, keep, written }: { series: string; keep: number; written: string },
): string[] {
  return names
    .filter((name) => name !== written)
    .filter((name) => isComplete.test(restOf(name, series)))
    .sort()
    .reverse()
    .slice(keep - 1);
}

/**
 * Returns the names of unfinished files of a series that killed processes have left: those of backups that began at
 * least backupTimeMaxMs before `at`. A younger one may still be written by another process.
 */
export function abandonedBackups(names: readonly string[], { series, at }: { series: string; at: number }): string[] {
  const newest = timeOf(at - backupTimeMaxMs);
  return names.filter((name) => {
    const [, time = ""] = isUnfinished.exec(restOf(name, series)) ?? [];
    return time !== "" && time <= newest;
  });
}

/** The longest that a backup may take: then a running server removes its copies, and another one may remove its unfinished file. */
export const backupTimeMaxMs = 12 * hourMs;

const isComplete = /^\d{8}T\d{6}Z\.(tar\.zst|age)$/;
const isUnfinished = /^(\d{8}T\d{6}Z)\.(tar\.zst|age)\.part-\d+$/;

function restOf(name: string, series: string): string {
  const prefix = seriesPrefix(series);
  return name.startsWith(prefix) ? name.slice(prefix.length) : "";
}
