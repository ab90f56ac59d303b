import { readFileSync } from "node:fs";
import type { TestServer } from "./server.ts";

/** The processes of a server with redirect workers, by their ids. */
type Processes = { main: number; workers: number[] };

/**
 * The current children of a server's supervisor. Throws while the supervisor restarts the main process, so that a test
 * does not continue with a wrong id.
 */
export function processesOf(server: TestServer): Processes {
  const children = childrenOf(server.process.pid).map((pid) => ({ pid, words: wordsOf(pid) }));
  const main = children.find(({ words }) => words.includes("serve-main"))?.pid;
  if (main === undefined) throw new Error("The server has no main process at the moment.");
  return {
    main,
    workers: children
      .filter(({ words }) => words.some((word) => word.endsWith("worker-main.ts")))
      .sort((left, right) => (left.words.at(-2) ?? "").localeCompare(right.words.at(-2) ?? ""))
      .map(({ pid }) => pid),
  };
}

/** True if a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  return /^State:\s+[^ZX]/m.test(textOf(`/proc/${pid}/status`));
}

/** The ids of a process's current children, the oldest first. */
export function childrenOf(pid: number): number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function wordsOf(pid: number): string[] {
  return textOf(`/proc/${pid}/cmdline`).split("\0").filter(Boolean);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}
