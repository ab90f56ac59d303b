import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

const tasks = "/proc/self/task";

const nanosecondsPerMs = 1_000_000;

/**
 * Lowers the priority of this process to a niceness from 0 to 19. On Linux each thread has a priority and inherits it
 * from the thread that starts it, so this lowers all existing threads.
 */
export function lowerPriority(niceness: number): void {
  if (process.platform !== "linux") {
    lower(process.pid, niceness);
    return;
  }
  for (const id of readdirSync(tasks)) {
    try {
      lower(Number(id), niceness);
    } catch {
      // The thread ended after the folder was read.
    }
  }
}

/**
 * Lowers the priority of the calling thread to a niceness from 0 to 19. Only Linux has priorities per thread; other
 * systems ignore it.
 */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform !== "linux") return;
  lower(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), niceness);
}

/**
 * How long the calling thread has waited for a core while it had work, in milliseconds since it started; 0 where the
 * system does not report it. Linux does, unless it was built without: the second number of "schedstat" in the kernel's
 * Documentation/scheduler/sched-stats.rst.
 */
export function coreWaitMs(): number {
  try {
    const waited = Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]);
    return Number.isFinite(waited) ? waited / nanosecondsPerMs : 0;
  } catch {
    return 0;
  }
}

/** Never raises a priority, for which a service that was started with `nice` has no permission. */
function lower(id: number, niceness: number): void {
  if (getPriority(id) < niceness) setPriority(id, niceness);
}
