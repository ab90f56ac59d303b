import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

const tasks = "/proc/self/task";

/**
 * Lowers the priority of this process to a niceness from 0 to 19. On Linux each thread has a priority and inherits it
 * from the thread that starts it, so this sets all existing threads.
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
      // The thread ended after the folder was read.
    }
  }
}
