import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailingVerbs } from "../../tests/support/failing-thread.ts";
import { CallFailure } from "./calls.ts";
import { Thread } from "./thread.ts";

const file = new URL("../../tests/support/failing-thread.ts", import.meta.url);
const callTimeMaxMs = 10_000;

let folder = "";
let closedPath = "";
let thread: Thread<FailingVerbs>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypost-thread-"));
  closedPath = join(folder, "closed");
  thread = new Thread<FailingVerbs>(file, callTimeMaxMs, closedPath);
});
afterEach(() => {
  thread.terminate();
  rmSync(folder, { recursive: true });
});

/** Calls "echo" until the call succeeds. */
async function echoEventually(): Promise<string> {
  for (;;) {
    try {
      return await thread.call("echo", undefined);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      await Bun.sleep(1);
    }
  }
}

for (const how of ["throw", "reject", "exit"] as const) {
  describe(`a thread that fails (${how})`, () => {
    test("fails all pending calls", async () => {
      const calls = [thread.call("wait", undefined), thread.call("fail", how), thread.call("wait", undefined)];

      const outcomes = await Promise.allSettled(calls);

      expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    });

    test("is replaced by a thread with the same argument", async () => {
      await thread.call("fail", how).catch(() => {});

      expect(await echoEventually()).toBe(closedPath);
    });
  });
}

// In a separate process, because `bun test` handles errors of threads itself.
test("a failed thread has closed its resources before the next one answers", async () => {
  const program = `
    const { Thread } = await import(${JSON.stringify(new URL("./thread.ts", import.meta.url).pathname)});
    const thread = new Thread(new URL(${JSON.stringify(file)}), ${callTimeMaxMs}, ${JSON.stringify(closedPath)});
    const results = [await thread.call("fail", "throw").catch(({ message }) => message)];
    while (results.length < 2) await thread.call("echo").then((path) => results.push(path), () => Bun.sleep(1));
    console.log(results[0], await Bun.file(results[1]).text());
    thread.terminate();`;

  const { stdout, stderr } = Bun.spawnSync([process.execPath, "--no-install", "--eval", program]);

  expect({ stdout: String(stdout), stderr: String(stderr) }).toEqual({
    stdout: "nobody catches this closed\n",
    stderr: "",
  });
});

test("a verb that throws fails only its call", async () => {
  await expect(thread.call("refuse", "not now")).rejects.toThrow(new CallFailure("not now"));

  expect(await thread.call("echo", undefined)).toBe(closedPath);
  expect(existsSync(closedPath)).toBe(false);
});

for (const [name, absent, start] of [
  ["whose file cannot be loaded", new URL("./absent.ts", file), "argument"],
  ["whose start throws", file, ""],
] as const) {
  test(`a thread ${name} fails each call, and the next call starts another`, async () => {
    const failing = new Thread<FailingVerbs>(absent, callTimeMaxMs, start);

    const first = await failing.call("wait", undefined).catch((error: Error) => error);
    const second = await failing.call("wait", undefined).catch((error: Error) => error);
    failing.terminate();

    expect([first, second]).toEqual([expect.any(CallFailure), expect.any(CallFailure)]);
  });
}

test("a call that times out behind a slow one is not run", async () => {
  const impatient = new Thread<FailingVerbs>(file, callTimeMaxMs, closedPath);
  const numbers = new Int32Array(new SharedArrayBuffer(8));
  // The thread learns the difference of the clocks from its fastest call, and is wrong by no more than that call took.
  const errorMaxMs = 100;
  for (let tookMs = Number.POSITIVE_INFINITY; tookMs > errorMaxMs; ) {
    const calledAt = performance.now();
    await impatient.call("echo", undefined);
    tookMs = performance.now() - calledAt;
  }
  const slow = impatient.call("block", numbers.buffer);
  const calls = [impatient.call("block", numbers.buffer, 200), impatient.call("block", numbers.buffer, 200)];
  // When this one has timed out, the others did so longer ago than the error.
  const later = impatient.call("echo", undefined, 200 + 3 * errorMaxMs);
  const rejected = { status: "rejected" };
  expect(await Promise.allSettled([...calls, later])).toMatchObject([rejected, rejected, rejected]);

  Atomics.store(numbers, 1, 1);
  Atomics.notify(numbers, 1);
  await slow;

  // This call is answered after all others.
  await impatient.call("echo", undefined);
  expect(Atomics.load(numbers, 0)).toBe(1);
  impatient.terminate();
});

test("a call can have a longer timeout than the others", async () => {
  const impatient = new Thread<FailingVerbs>(file, 200, closedPath);
  const numbers = new Int32Array(new SharedArrayBuffer(8));

  const long = impatient.call("block", numbers.buffer, callTimeMaxMs);
  await expect(impatient.call("echo", undefined)).rejects.toThrow("echo took too long");
  Atomics.store(numbers, 1, 1);
  Atomics.notify(numbers, 1);

  expect(await long).toBeUndefined();
  impatient.terminate();
});

test("a terminated thread is not restarted", async () => {
  thread.terminate();

  await expect(thread.call("echo", undefined)).rejects.toThrow("the thread was ended");
  await Bun.sleep(0);
  await expect(thread.call("echo", undefined)).rejects.toThrow("the thread was ended");
});
