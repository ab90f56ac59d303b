import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../server.ts";

/** The wall clock of the processes that run with `environment`. */
export type ShiftedClock = {
  kind: "shifted";
  environment: Environment;
  /** The current time on this clock, in milliseconds since the epoch. */
  now(): number;
  shiftMs(): number;
  /** Sets the difference to this machine's clock, a whole number of seconds in milliseconds. */
  shiftTo(shiftMs: number): void;
};

/** Compiles shifted-clock.c into `folder`, or returns why the clock cannot be shifted here. */
export function openShiftedClock(folder: string): ShiftedClock | { kind: "refused"; reason: string } {
  if (process.platform !== "linux") return { kind: "refused", reason: `no LD_PRELOAD on ${process.platform}` };
  const library = join(folder, "shifted-clock.so");
  const source = join(import.meta.dir, "shifted-clock.c");
  const compile = Bun.spawnSync(["sh", "-c", 'cc -shared -fPIC -O1 -o "$1" "$2" -ldl', "-", library, source]);
  if (compile.exitCode !== 0) return { kind: "refused", reason: `no C compiler: ${compile.stderr.toString().trim()}` };
  const path = join(folder, "clock-shift");
  let shiftMs = 0;
  const shiftTo = (wanted: number) => {
    // Written in place: processes map this file.
    const file = openSync(path, wanted === 0 && shiftMs === 0 ? "w" : "r+");
    const bytes = new BigInt64Array([BigInt(wanted)]);
    writeSync(file, new Uint8Array(bytes.buffer), 0, 8, 0);
    closeSync(file);
    shiftMs = wanted;
  };
  shiftTo(0);
  return {
    kind: "shifted",
    environment: { LD_PRELOAD: library, CLOCK_SHIFT: path },
    now: () => Date.now() + shiftMs,
    shiftMs: () => shiftMs,
    shiftTo,
  };
}
