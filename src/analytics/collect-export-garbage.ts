import { edenGC, fullGC } from "bun:jsc";
import { secondMs } from "../base/time.ts";

/** Young objects are collected each time this many bytes of exports were sent; a collection takes about 1 ms. */
const bytesBetween = 8 * 1024 * 1024;
/** The time between two collections of all objects; a collection takes about 20 ms. */
const fullEveryMs = 2 * secondMs;

/** The runtime's two kinds of garbage collection, and monotonic time in milliseconds. */
type Runtime = { collectYoung(): void; collectAll(): void; now(): number };

const runtime: Runtime = { collectYoung: edenGC, collectAll: fullGC, now: () => performance.now() };

/**
 * Returns a function to call with the length of each streamed chunk; it collects garbage after many bytes.
 * The runtime would collect young objects only when they are as large as all others, and the rest only when the heap has
 * doubled; each collection finds chunks in use, which then count as old. With this, an export of 10,000,000 clicks as
 * JSON Lines takes about 90 MiB less.
 */
export function collectExportGarbage({ collectYoung, collectAll, now } = runtime): (length: number) => void {
  let bytes = 0;
  let fullAt = now();
  return (length) => {
    bytes += length;
    if (bytes < bytesBetween) return;
    bytes = 0;
    if (now() - fullAt < fullEveryMs) return collectYoung();
    collectAll();
    fullAt = now();
  };
}
