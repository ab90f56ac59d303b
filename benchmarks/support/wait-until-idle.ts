import { metric } from "./metrics.ts";
import { type BenchmarkServer, treeCpuSeconds } from "./servers.ts";

/** A server that takes a smaller share of a core in this number of successive windows is idle. */
const idleShare = 0.05;
const idleWindowMs = 500;
const idleWindowsMin = 4;
const waitTimeMaxMs = 1_800_000;

/** Waits until a server has stored all clicks and is idle. */
export async function waitUntilIdle(server: BenchmarkServer): Promise<void> {
  const { pid } = server;
  const startedAt = performance.now();
  for (let idle = 0; idle < idleWindowsMin; ) {
    if (performance.now() - startedAt > waitTimeMaxMs) throw new Error("The server does not become idle.");
    const before = treeCpuSeconds(pid);
    await Bun.sleep(idleWindowMs);
    const isIdle = (treeCpuSeconds(pid) - before) * 1_000 < idleShare * idleWindowMs;
    // On a busy machine, a low-priority thread without a core looks idle too.
    idle = isIdle && (await metric(server, "waypost_spool_lag_bytes")) === 0 ? idle + 1 : 0;
  }
}
