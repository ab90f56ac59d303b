import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./server.ts";

/** A library that makes libc's writes fail in processes that preload it, or the reason why it could not be compiled. */
type FaultLibrary = { kind: "compiled"; below(prefix: string): FailingWrites } | { kind: "refused"; reason: string };

/** Faults of files whose paths begin with a prefix. `perMille` is the share of calls that fail. */
type FailingWrites = { environment: Environment; begin(errno: number, perMille: number): void; end(): void };

/**
 * Compiles faulty-disk.c into `folder`. It affects the engines in native code, and not the files that the runtime
 * writes, such as the spool, because the runtime does not use libc for them.
 */
export function compileFaults(folder: string): FaultLibrary {
  if (process.platform !== "linux") return { kind: "refused", reason: `no LD_PRELOAD on ${process.platform}` };
  const library = join(folder, "faulty-disk.so");
  const source = join(import.meta.dir, "faulty-disk.c");
  const compile = Bun.spawnSync(["sh", "-c", 'cc -shared -fPIC -O1 -o "$1" "$2" -ldl', "-", library, source]);
  if (compile.exitCode !== 0) return { kind: "refused", reason: `no C compiler: ${compile.stderr.toString().trim()}` };
  const control = join(folder, "control");
  return {
    kind: "compiled",
    below: (prefix) => ({
      environment: { LD_PRELOAD: library, FAULT_FILES: prefix, FAULT_CONTROL: control },
      begin: (errno, perMille) => writeFileSync(control, `${errno} ${perMille}`),
      end: () => rmSync(control),
    }),
  };
}
