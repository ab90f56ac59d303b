import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailingVerbs } from "../../tests/support/failing-process.ts";
import { eventually } from "../../tests/support/server.ts";
import { CallFailure } from "./calls.ts";
import { Subprocess } from "./subprocess.ts";

const file = new URL("../../tests/support/failing-process.ts", import.meta.url);
const callTimeMaxMs = 60_000;

let folder = "";
let log = "";
let starts = 0;
let crashes = 0;
let failing: Subprocess<FailingVerbs>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypost-process-"));
  log = join(folder, "log");
  starts = 0;
  crashes = 0;
  failing = open({ start: log });
});
afterEach(async () => {
  await failing.close().catch(() => {});
  rmSync(folder, { recursive: true });
});

function open(options: { file?: URL; start: string }): Subprocess<FailingVerbs> {
  return new Subprocess<FailingVerbs>({
    ...{ name: "failing", file, callTimeMaxMs, log: undefined, ...options },
    onStart() {
      starts++;
    },
    onCrash() {
      crashes++;
    },
  });
}

/** Repeats a call until it succeeds. */
async function pidAtLast(): Promise<number> {
  return await eventually(
    () => failing.call("pid", undefined).catch(() => 0),
    (pid) => pid !== 0,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (const how of ["throw", "reject", "exit", "kill", "fatal"] as const) {
  describe(`a process that fails by ${how}`, () => {
    test("fails all pending calls, and restarts after its exit", async () => {
      const first = await failing.call("pid", undefined);
      const calls = [failing.call("wait", undefined), failing.call("fail", how), failing.call("wait", undefined)];

      const outcomes = await Promise.allSettled(calls);
      const second = await pidAtLast();

      expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      expect({ crashes, restarts: failing.restarts, isAlive: isAlive(first) }).toEqual({
        crashes: 1,
        restarts: 1,
        isAlive: false,
      });
      expect(readFileSync(log, "utf8")).toBe(`started ${first}\nstarted ${second}\n`);
    });
  });
}

test("calls fail with the message of a fatal error, also those before the restart", async () => {
  const first = failing.call("fail", "fatal");
  // Begins when the first call fails, before the process can have ended.
  const second = first.catch(() => failing.call("pid", undefined));

  const failure = { status: "rejected" as const, reason: new CallFailure("beyond repair") };
  expect(await Promise.allSettled([first, second])).toEqual([failure, failure]);
});

test("a verb that throws fails only its call", async () => {
  await expect(failing.call("refuse", "not now")).rejects.toThrow(new CallFailure("not now"));

  expect(await failing.call("pid", undefined)).toBeGreaterThan(0);
  expect(crashes).toBe(0);
});

for (const [name, options] of [
  ["whose file cannot be loaded", { file: new URL("./absent.ts", file), start: "argument" }],
  ["whose start throws", { start: "" }],
] as const) {
  test(`a process ${name} fails each call, and restarts with back-off`, async () => {
    const broken = open(options);

    const tries = 20;
    for (let attempt = 0; attempt < tries; attempt++) {
      await expect(broken.call("wait", undefined)).rejects.toThrow(CallFailure);
    }
    await broken.close();

    expect(broken.restarts).toBeLessThan(tries - 1);
  });
}

test("closing waits until the process has closed its resources and ended, and starts no other", async () => {
  const pid = await failing.call("pid", undefined);

  await failing.close();

  expect(readFileSync(log, "utf8")).toBe(`started ${pid}\nclosed ${pid}\n`);
  expect({ isAlive: isAlive(pid), crashes }).toEqual({ isAlive: false, crashes: 0 });
  await expect(failing.call("pid", undefined)).rejects.toThrow("the process was closed");
});

test("a paused process has ended, and the next call starts another one, which is no restart", async () => {
  const first = await failing.call("pid", undefined);

  const paused = failing.pause();
  const next = failing.call("pid", undefined);
  await paused;
  const second = await next;

  expect(readFileSync(log, "utf8")).toBe(`started ${first}\nclosed ${first}\nstarted ${second}\n`);
  expect({ isAlive: isAlive(first), crashes, starts, restarts: failing.restarts }).toEqual({
    ...{ isAlive: false, crashes: 0, starts: 2, restarts: 0 },
  });
});

test("a process that crashes while it pauses counts as a crash, and the next call starts another one", async () => {
  const first = await failing.call("pid", undefined);

  process.kill(first, "SIGKILL");
  await failing.pause();

  expect(await failing.call("pid", undefined)).not.toBe(first);
  expect(crashes).toBe(1);
});

test("closing a process that pauses waits for its end, and starts no other", async () => {
  const pid = await failing.call("pid", undefined);

  const paused = failing.pause();
  const refused = failing.call("pid", undefined);
  await failing.close();

  expect(isAlive(pid)).toBe(false);
  await expect(refused).rejects.toThrow("the process was closed");
  await paused;
});

test("closing a process that crashes fails at once, not after the timeout", async () => {
  const pid = await failing.call("pid", undefined);

  process.kill(pid, "SIGKILL");
  const closing = failing.close();

  await expect(closing).rejects.toThrow(new CallFailure("the failing process ended before it had closed"));
  expect(isAlive(pid)).toBe(false);
});

// The program opens files until the operating system refuses more, so that no process can be started.
test("a call fails when the process cannot be started, and a later call starts it", () => {
  const program = `
    const { closeSync, openSync } = await import("node:fs");
    const { Subprocess } = await import(${JSON.stringify(new URL("./subprocess.ts", import.meta.url).pathname)});
    const messages = [];
    const owned = new Subprocess({
      name: "owned", file: new URL(${JSON.stringify(file)}), start: ${JSON.stringify(log)},
      callTimeMaxMs: ${callTimeMaxMs}, log: { error: (message) => messages.push(message) },
      onStart() {}, onCrash: () => messages.push("crash"),
    });
    const files = [];
    try { for (;;) files.push(openSync("/dev/null")); } catch {}
    const outcome = owned.call("pid").then(() => "answered", (error) => error.name);
    for (const file of files) closeSync(file);
    const first = await outcome;
    const pid = await owned.call("pid");
    await owned.close();
    console.log(JSON.stringify({ first, isStarted: pid > 0, messages }));`;
  const command = [process.execPath, "--no-install", "--eval", program];

  const { stdout, stderr } = Bun.spawnSync(["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", ...command]);

  expect(String(stdout) || String(stderr)).toBe(
    `${JSON.stringify({ first: "CallFailure", isStarted: true, messages: ["A process cannot be started."] })}\n`,
  );
});

test("a process that was never called is not started", async () => {
  await failing.close();

  expect(existsSync(log)).toBe(false);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s to the process does not end it", async (signal) => {
  const pid = await failing.call("pid", undefined);

  process.kill(pid, signal);

  expect(await failing.call("pid", undefined)).toBe(pid);
});

test("a process whose owner is killed ends too", async () => {
  const program = `
    const { Subprocess } = await import(${JSON.stringify(new URL("./subprocess.ts", import.meta.url).pathname)});
    const owned = new Subprocess({
      name: "owned", file: new URL(${JSON.stringify(file)}), start: ${JSON.stringify(log)},
      callTimeMaxMs: ${callTimeMaxMs}, log: undefined, onStart() {}, onCrash() {},
    });
    console.log(await owned.call("pid"));
    process.kill(process.pid, "SIGKILL");`;

  const { stdout } = Bun.spawnSync([process.execPath, "--no-install", "--eval", program]);

  const pid = Number(String(stdout));
  expect(pid).toBeGreaterThan(0);
  await eventually(
    async () => isAlive(pid),
    (alive) => !alive,
  );
});
