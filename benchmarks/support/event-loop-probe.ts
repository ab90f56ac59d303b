/**
 * Loaded into a server before its program (`bun --preload`): measures for how long the main thread keeps the event loop.
 *
 * It counts the time that the thread ran between two turns of the loop, so that other programs of a busy machine do not
 * count. On SIGUSR2 it writes the longest time since the last such signal into the file that PROBE_FILE names.
 */
import { renameSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const everyMs = 1;

if (isMainThread) {
  const file = process.env["PROBE_FILE"] ?? "";
  const ranMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let last = ranMs();
  let longestMs = 0;
  const tick = () => {
    const now = ranMs();
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
