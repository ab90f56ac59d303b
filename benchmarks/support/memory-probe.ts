/**
 * Preloaded into a server whose memory is measured: at SIGUSR2 it collects what nobody refers to any more, and writes
 * what is left to the file that BENCHMARK_HEAP names.
 */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";

const path = process.env.BENCHMARK_HEAP;

process.on("SIGUSR2", () => {
  if (path === undefined) return;
  Bun.gc(true);
  const { heapSize, objectCount } = heapStats();
  // Moved to its name when it is whole, since somebody waits for it.
  writeFileSync(`${path}.new`, JSON.stringify({ heapBytes: heapSize, objects: objectCount }));
  renameSync(`${path}.new`, path);
});
