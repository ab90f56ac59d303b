import { diskFailure } from "../base/disk-failure.ts";

/** Returns advice for a click store that cannot be opened. Only a damaged file should be moved away. */
export function storeAdvice(reason: string): string {
  const advice = diskFailure(reason)?.advice;
  if (advice !== undefined) return advice;
  if (/lock/i.test(reason)) return "Another program holds the file open: end that program.";
  if (/newer version of Waypost/i.test(reason))
    return "Start that version, or restore a backup from before the upgrade.";
  return "Restore the file from a backup; without one, move it away and accept that its clicks are lost.";
}
