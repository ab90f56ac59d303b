/** TABLE of failures of the disk or of permissions, as the system and the engine word them, and what to do. */
const diskFailures: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ENOSPC|No space left/i, "the disk is full: make room on it, and nothing else is needed"],
  [/EDQUOT|quota exceeded/i, "the quota is used up: raise it, or make room"],
  [/EACCES|EPERM|Permission denied|Operation not permitted/i, "give its ownership to the user that runs Waypost"],
  [
    /EROFS|Read-only file ?system/i,
    "the file system is read-only: find out why in the system's log, and mount it writable",
  ],
  [/\bEIO\b|Input\/output error/i, "the disk fails: see the system's log, and copy the data folder to another disk"],
  [/EMFILE|ENFILE|Too many open files/i, "raise the limit of open files (ulimit -n)"],
];

/** What to do about a failure of the disk or of permissions; undefined for any other failure. */
export function diskAdvice(reason: string): string | undefined {
  return diskFailures.find(([pattern]) => pattern.test(reason))?.[1];
}

/** What to do about a click store that cannot be opened. Only a damaged file is worth moving away. */
export function storeAdvice(reason: string): string {
  const advice = diskAdvice(reason);
  if (advice !== undefined) return advice;
  if (/lock/i.test(reason)) return "another program holds the file open: end that program";
  if (/newer version of Waypost/i.test(reason))
    return "start that version, or restore a backup from before the upgrade";
  return "restore the file from a backup; without one, move it away and accept that its clicks are lost";
}
