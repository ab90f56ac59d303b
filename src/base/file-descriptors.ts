import { readFileSync } from "node:fs";

/** The limit assumed on systems other than Linux. */
const assumedMax = 1_024;

/**
 * Returns how many files and connections this process may have open at once; the runtime has raised the limit to the
 * maximum.
 */
export function fileDescriptorsMax(): number {
  try {
    return parseFileDescriptorsMax(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return assumedMax;
  }
}

/** Parses the soft limit from Linux's /proc/self/limits. */
export function parseFileDescriptorsMax(limits: string): number {
  const limit = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (limit === undefined) return assumedMax;
  return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(limit);
}
