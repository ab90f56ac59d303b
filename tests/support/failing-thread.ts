/** A thread that fails on request; see thread.test.ts. Its verb `echo` returns the argument of its start. */
import { serveThread } from "../../src/base/thread.ts";

export type FailingVerbs = {
  /** The file to which the thread writes "closed" when it closes. */
  start: { argument: string; result: undefined };
  echo: { argument: undefined; result: string };
  fail: { argument: "throw" | "reject" | "exit"; result: undefined };
  refuse: { argument: string; result: undefined };
  wait: { argument: undefined; result: undefined };
  /** Adds one to the first number, then blocks the thread while the second is 0. */
  block: { argument: SharedArrayBuffer; result: undefined };
  close: { argument: undefined; result: undefined };
};

let started = "";

serveThread<FailingVerbs>(0, {
  async start(argument: string) {
    if (argument === "") throw new Error("There is nothing to start with.");
    started = argument;
    return undefined;
  },
  echo: async () => started,
  async fail(how: FailingVerbs["fail"]["argument"]) {
    if (how === "exit") process.exit(3);
    if (how === "reject") void Promise.reject(new Error("nobody catches this"));
    setTimeout(() => {
      throw new Error("nobody catches this");
    });
    return await new Promise<never>(() => {});
  },
  async refuse(message: string) {
    throw new Error(message);
  },
  wait: () => new Promise<never>(() => {}),
  async block(shared: SharedArrayBuffer) {
    const numbers = new Int32Array(shared);
    Atomics.add(numbers, 0, 1);
    Atomics.wait(numbers, 1, 0);
    return undefined;
  },
  async close() {
    await Bun.write(started, "closed");
    return undefined;
  },
});
