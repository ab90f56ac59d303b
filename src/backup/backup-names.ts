/** Names of backups that Waypost chooses: `waypost-SERIES-TIME.tar.zst`, or `.age` when encrypted. */

/** The name of a backup. The series tells the backups of one service from those of others in the same place. */
export function backupName(series: string, at: number, isEncrypted: boolean): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  return `${seriesPrefix(series)}${time}.${isEncrypted ? "age" : "tar.zst"}`;
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

/** Returns the names of unfinished files of a series, which killed processes have left. */
export function unfinishedBackups(names: readonly string[], series: string): string[] {
  return names.filter((name) => isUnfinished.test(restOf(name, series)));
}

const isComplete = /^\d{8}T\d{6}Z\.(tar\.zst|age)$/;
const isUnfinished = /^\d{8}T\d{6}Z\.(tar\.zst|age)\.part-\d+$/;

function restOf(name: string, series: string): string {
  const prefix = seriesPrefix(series);
  return name.startsWith(prefix) ? name.slice(prefix.length) : "";
}
