import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

const tasks = "/proc/self/task";
/** What Bun calls the threads that do the work of asynchronous calls into native code, for all of its JavaScript threads. */
const poolName = /^Bun Pool /;

/**
 * Makes the process's pool of threads step back behind threads of a smaller niceness (0 to 19) when they share a core. New
 * ones have the priority of whoever has them begun, so it is to be called again. Only on Linux, where threads have
 * priorities of their own; elsewhere it does nothing.
 */
export function stepPoolBack(niceness: number): void {
  if (process.platform !== "linux") return;
  for (const id of readdirSync(tasks)) {
    try {
      const isOfPool = poolName.test(readFileSync(`${tasks}/${id}/comm`, "utf8"));
      if (isOfPool && getPriority(Number(id)) < niceness) setPriority(Number(id), niceness);
    } catch {
      // It has ended meanwhile.
    }
  }
}
