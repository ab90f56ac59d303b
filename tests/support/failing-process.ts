/** A process that fails on request; see subprocess.test.ts. It appends to a file when it starts. */
import { appendFileSync } from "node:fs";
import { FatalError, serveSubprocess } from "../../src/base/subprocess.ts";

export type FailingVerbs = {
  /** The file to append "started <pid>" to. */
  start: { argument: string; result: undefined };
  /** Answers with the process's id. */
  pid: { argument: undefined; result: number };
  fail: { argument: "throw" | "reject" | "exit" | "kill" | "fatal"; result: undefined };
  refuse: { argument: string; result: undefined };
  wait: { argument: undefined; result: undefined };
  close: { argument: undefined; result: undefined };
};

let log = "";

serveSubprocess<FailingVerbs>(0, {
  async start(path: string) {
    if (path === "") throw new Error("There is nothing to start with.");
    log = path;
    appendFileSync(log, `started ${process.pid}\n`);
    return undefined;
  },
  pid: async () => process.pid,
  async fail(how: FailingVerbs["fail"]["argument"]) {
    if (how === "fatal") throw new FatalError("beyond repair");
    if (how === "exit") process.exit(3);
    if (how === "kill") process.kill(process.pid, "SIGKILL");
    if (how === "reject") void Promise.reject(new Error("no handler catches this"));
    setTimeout(() => {
      throw new Error("no handler catches this");
    });
    return await new Promise<never>(() => {});
  },
  async refuse(message: string) {
    throw new Error(message);
  },
  wait: () => new Promise<never>(() => {}),
  async close() {
    appendFileSync(log, `closed ${process.pid}\n`);
    return undefined;
  },
});
