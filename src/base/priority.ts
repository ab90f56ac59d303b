import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

const tasks = "/proc/self/task";

/**
 * Makes this process step back behind processes of a smaller niceness (0 to 19) when they share a core. On Linux, where
 * each thread has a priority and inherits that of the thread that starts it, this is for all threads there are.
 */
export function lowerPriority(niceness: number): void {
  if (process.platform !== "linux") {
    setPriority(niceness);
    return;
  }
  for (const id of readdirSync(tasks)) {
    try {
      setPriority(Number(id), niceness);
    } catch {
      // The thread has ended since the folder was read.
    }
  }
}
