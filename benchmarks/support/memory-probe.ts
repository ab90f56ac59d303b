/**
 * Preloaded into a server whose memory is measured: on SIGUSR2, it collects garbage and writes the size of the heap to
 * the file BENCHMARK_HEAP.
 */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";

const path = process.env.BENCHMARK_HEAP;

process.on("SIGUSR2", () => {
  if (path === undefined) return;
  Bun.gc(true);
  const { heapSize, objectCount } = heapStats();
  // Renamed when it is complete, because the benchmark waits for the name.
  writeFileSync(`${path}.new`, JSON.stringify({ heapBytes: heapSize, objects: objectCount }));
  renameSync(`${path}.new`, path);
});
