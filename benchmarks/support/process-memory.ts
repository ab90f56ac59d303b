/** Memory of processes, from Linux's /proc. */
import { readFileSync } from "node:fs";
import { processTree } from "./servers.ts";

/** The proportional set size of a process and its descendants in MiB: shared pages are divided among the processes. */
export function treeMib(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + proportionalMib(each), 0);
}

function proportionalMib(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    // The process ended after the processes were listed.
    return 0;
  }
}
