/**
 * Preloaded into a server (`bun --preload`): measures how long the main thread blocks the event loop.
 *
 * It measures the thread's processor time between two ticks, so other programs do not count. On SIGUSR2, it writes the
 * longest time since the previous signal to the file PROBE_FILE.
 */
import { renameSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const everyMs = 1;

if (isMainThread) {
  const file = process.env["PROBE_FILE"] ?? "";
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let last = cpuMs();
  let longestMs = 0;
  const tick = () => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    setTimeout(tick, everyMs);
  };
  tick();
  process.on("SIGUSR2", () => {
    writeFileSync(`${file}.part`, String(longestMs));
    renameSync(`${file}.part`, file);
    longestMs = 0;
  });
}
