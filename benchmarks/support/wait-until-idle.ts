import { metric } from "./metrics.ts";
import { type BenchmarkServer, treeCpuSeconds } from "./servers.ts";

/** A server that takes less of a core, for so many windows on end, has nothing left to do. */
const idleShare = 0.05;
const idleWindowMs = 500;
const idleWindowsMin = 4;
const restTimeMaxMs = 1_800_000;

/** Waits until a server has taken in all its clicks and does nothing any more. */
export async function waitUntilIdle(server: BenchmarkServer): Promise<void> {
  const { pid } = server;
  const startedAt = performance.now();
  for (let idle = 0; idle < idleWindowsMin; ) {
    if (performance.now() - startedAt > restTimeMaxMs) throw new Error("The server does not come to rest.");
    const before = treeCpuSeconds(pid);
    await Bun.sleep(idleWindowMs);
    const isIdle = (treeCpuSeconds(pid) - before) * 1_000 < idleShare * idleWindowMs;
    // On a busy machine, a thread of low priority that gets no core looks idle too.
    idle = isIdle && (await metric(server, "waypost_spool_lag_bytes")) === 0 ? idle + 1 : 0;
  }
}
