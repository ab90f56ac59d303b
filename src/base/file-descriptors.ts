import { readFileSync } from "node:fs";

/** Where the system does not tell, which is elsewhere than on Linux. */
const assumedMax = 1_024;

/** How many files and connections this process may have open at once. The runtime has taken what it can get of them. */
export function fileDescriptorsMax(): number {
  try {
    return parseFileDescriptorsMax(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return assumedMax;
  }
}

/** The limit in force, from the text of Linux' /proc/self/limits. */
export function parseFileDescriptorsMax(limits: string): number {
  const limit = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (limit === undefined) return assumedMax;
  return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(limit);
}
