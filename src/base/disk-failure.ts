import { errorCode, withCauses } from "./causes.ts";

/** A failure that the operator can fix: the system's reason in words, and a sentence that says what to do. */
export type OutageCause = { reason: string; advice: string };

/** TABLE of disk and permission failures: how the system and the engines report them, the reason, and the advice. */
const diskFailures: readonly (OutageCause & { pattern: RegExp })[] = [
  {
    // SQLite reports a full disk as SHMSIZE when it cannot make its shared memory file.
    pattern: /ENOSPC|No space left|SQLITE_FULL|database or disk is full|SQLITE_IOERR_SHMSIZE/i,
    reason: "No space left on device",
    advice: "The disk is full: free some space. Nothing else is needed.",
  },
  {
    pattern: /EDQUOT|quota exceeded/i,
    reason: "Disk quota exceeded",
    advice: "The quota is used up: raise it, or free some space.",
  },
  {
    pattern: /EACCES|EPERM|Permission denied|Operation not permitted/i,
    reason: "Permission denied",
    advice: "Give the data folder to the user that runs Waypost.",
  },
  {
    pattern: /EROFS|SQLITE_READONLY|Read-only file ?system/i,
    reason: "Read-only file system",
    advice: "The file system is read-only: find out why in the system's log, and mount it writable.",
  },
  {
    pattern: /\bEIO\b|Input\/output error/i,
    reason: "Input/output error",
    advice: "The disk is failing: see the system's log, and copy the data folder to another disk.",
  },
  {
    pattern: /EMFILE|ENFILE|Too many open files/i,
    reason: "Too many open files",
    advice: "Raise the limit of open files (ulimit -n).",
  },
];

/** Returns the disk failure that a message reports; undefined for any other message. */
export function diskFailure(text: string): OutageCause | undefined {
  const found = diskFailures.find(({ pattern }) => pattern.test(text));
  return found === undefined ? undefined : { reason: found.reason, advice: found.advice };
}

/** Returns the disk failure that an error or one of its causes reports; undefined for any other error. */
export function diskFailureOf(error: unknown): OutageCause | undefined {
  for (const each of withCauses(error)) {
    const found = diskFailure(`${errorCode(each)} ${each.message}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
