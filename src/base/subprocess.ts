/**
 * A child process that answers calls (calls.ts). The owner creates a Subprocess; the file that the child runs calls
 * serveSubprocess once.
 *
 * 1. Two children of one owner never run at the same time: the next one starts after the operating system has
 *    reported the exit of the previous one, so all its files are closed.
 * 2. The first verb is `start`, with the owner's argument. The first call starts the child; after a crash, the next
 *    call restarts it once a back-off has passed. A child that cannot be started (no free descriptors or memory) counts
 *    as a crash.
 * 3. A verb that throws a FatalError, a `start` that fails and an uncaught error end the child: it reports the error
 *    and kills itself, and the owner kills it too. All pending calls fail.
 * 4. The child kills itself when its owner is gone. It ignores the signals that a terminal or a process manager
 *    sends to every process of a service: its owner decides when it stops.
 * 5. Killing is always SIGKILL, because an orderly exit would run the destructors of native code that has just failed.
 * 6. Arguments and results are sent as JSON, so they hold texts, finite numbers, booleans, null, arrays and records, and
 *    undefined fields are absent. A structured clone of 100,000 ids of links blocked visitors for 130 ms, JSON for 4 ms.
 */

import { fileURLToPath } from "node:url";
import {
  type Call,
  CallAnswerer,
  CallFailure,
  failedReply,
  type Handlers,
  PendingCalls,
  type Reply,
  startId,
  type Verbs,
} from "./calls.ts";
import { diskFailure } from "./disk-failure.ts";
import type { Log } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { lowerPriority } from "./priority.ts";
import { restartDelayMs, stableAfterMs } from "./restart-delay.ts";
import { secondMs } from "./time.ts";

const closedReason = "the process was closed";

/** How long a crashing process may take to send its final message. */
const finalMessageMaxMs = secondMs;

type Options<Table extends Verbs> = {
  /** The process's name in logs and metrics. */
  name: string;
  file: URL;
  start: Table["start"]["argument"];
  /** Added to the owner's environment. */
  environment?: Readonly<Record<string, string>>;
  /** The default timeout of a call. */
  callTimeMaxMs: number;
  log: Log | undefined;
  /** Called when a process was started: the first one, one after a pause, and one after a crash. */
  onStart(): void;
  /** Called when a process ended without being closed. */
  onCrash(): void;
};

type State =
  | { kind: "none"; notBefore: number; reason: string }
  | { kind: "running"; process: Bun.Subprocess; startedAt: number }
  | { kind: "ending"; process: Bun.Subprocess; startedAt: number; reason: string }
  | { kind: "pausing"; ended: Promise<void> }
  | { kind: "closed" };

/** Values that JSON transports; numbers must be finite. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };
type JsonVerbs<Table extends Verbs> = {
  [Name in keyof Table]: {
    argument: Json | undefined;
    result: undefined extends Table[Name]["result"] ? unknown : Json;
  };
};

/** The owner's side of a child process; see the top of this file. */
export class Subprocess<Table extends Verbs & JsonVerbs<Table>> {
  readonly #options: Options<Table>;
  readonly #pending = new PendingCalls<Table>();
  #state: State = { kind: "none", notBefore: 0, reason: "" };
  #crashesInRow = 0;
  #restarts = 0;

  constructor(options: Options<Table>) {
    this.#options = options;
  }

  /** How often the process was restarted after a crash. */
  get restarts(): number {
    return this.#restarts;
  }

  /** True while a process runs and accepts calls. */
  get isRunning(): boolean {
    return this.#state.kind === "running";
  }

  /** True after a crash or a failed start, until a process runs. False for one that was never called, or is paused. */
  get hasFailed(): boolean {
    return this.#state.kind === "ending" || (this.#state.kind === "none" && this.#state.reason !== "");
  }

  /**
   * Calls a verb of the process.
   * Throws CallFailure when the verb fails, takes longer than `timeMaxMs`, or the process is overloaded or gone.
   */
  call<Name extends keyof Table & string>(
    verb: Name,
    argument: Table[Name]["argument"],
    timeMaxMs = this.#options.callTimeMaxMs,
  ): Promise<Table[Name]["result"]> {
    const state = this.#running();
    if (state.kind === "pausing") return state.ended.then(() => this.call(verb, argument, timeMaxMs));
    if (state.kind !== "running") return Promise.reject(new CallFailure(reasonOf(state)));
    return this.#pending.make(verb, argument, timeMaxMs, (call) => this.#send(state.process, call));
  }

  /**
   * Closes the process until the next call, which starts another one; resolves when it is gone. Calls that come while it
   * closes wait for its end. A process that does not close is killed, and counts as a crash.
   */
  async pause(timeMaxMs = this.#options.callTimeMaxMs): Promise<void> {
    const state = this.#state;
    if (state.kind !== "running") return;
    const { name, log, onCrash } = this.#options;
    const ended = this.#closeProcess(state, timeMaxMs)
      .catch((error: unknown) => {
        log?.error("A process was killed because it did not close.", { process: name, error });
        onCrash();
      })
      .finally(() => {
        if (this.#state.kind === "pausing") this.#state = { kind: "none", notBefore: 0, reason: "" };
      });
    this.#crashesInRow = 0;
    this.#state = { kind: "pausing", ended };
    await ended;
  }

  /**
   * Closes the process for good; resolves when it is gone.
   * Throws CallFailure when it does not close in time, or crashes before.
   */
  async close(timeMaxMs = this.#options.callTimeMaxMs): Promise<void> {
    const state = this.#state;
    if (state.kind === "closed") return;
    this.#state = { kind: "closed" };
    if (state.kind === "pausing") await state.ended;
    else if (state.kind !== "none") await this.#closeProcess(state, timeMaxMs);
  }

  async #closeProcess(state: Extract<State, { kind: "running" | "ending" }>, timeMaxMs: number): Promise<void> {
    try {
      if (state.kind === "running") {
        const closed = this.#pending.make("close", undefined, timeMaxMs, (call) => this.#send(state.process, call));
        await Promise.race([closed, this.#failAtEnd(state.process)]);
      }
    } finally {
      state.process.kill("SIGKILL");
      await state.process.exited;
      this.#pending.failAll(closedReason);
    }
  }

  async #failAtEnd(child: Bun.Subprocess): Promise<never> {
    await child.exited;
    throw new CallFailure(`the ${this.#options.name} process ended before it had closed`);
  }

  /** Returns the state, after starting a process when none runs and the back-off has passed. */
  #running(): State {
    if (this.#state.kind === "none" && performance.now() >= this.#state.notBefore) this.#state = this.#startOrWait();
    return this.#state;
  }

  #startOrWait(): State {
    try {
      return this.#start();
    } catch (error) {
      const { name, log } = this.#options;
      const waiting = this.#backOff(`the ${name} process cannot be started: ${messageOf(error)}`);
      log?.error("A process cannot be started.", { process: name, error, delayMs: waiting.delayMs });
      return waiting.state;
    }
  }

  #start(): State {
    // --no-orphans: dies with its owner, where the operating system supports it.
    const command = [process.execPath, "--no-orphans", "--no-install", fileURLToPath(this.#options.file)];
    const started = Bun.spawn(command, {
      env: { ...process.env, ...this.#options.environment },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      serialization: "json",
      ipc: (reply: Reply) => this.#settle(started, reply),
      onExit: (child, exitCode) => this.#onProcessExit(child, exitCode),
    });
    if (this.#crashesInRow > 0) this.#restarts++;
    const start = this.#pending.startCall(this.#options.start);
    this.#send(started, start);
    this.#options.onStart();
    return { kind: "running", process: started, startedAt: performance.now() };
  }

  #send(to: Bun.Subprocess, call: Call): void {
    try {
      to.send(call);
    } catch (error) {
      // The channel is closed: the process is ending.
      this.#end(to, messageOf(error));
    }
  }

  #settle(from: Bun.Subprocess, reply: Reply): void {
    if (reply.kind === "broken") this.#end(from, reply.message);
    else this.#pending.settle(reply);
  }

  /** Kills a failed process; #onProcessExit follows. */
  #end(failed: Bun.Subprocess, reason: string): void {
    if (this.#state.kind === "running" && this.#state.process === failed) {
      this.#state = { ...this.#state, kind: "ending", reason };
    }
    this.#pending.failAll(reason);
    failed.kill("SIGKILL");
  }

  #onProcessExit(child: Bun.Subprocess, exitCode: number | null): void {
    const state = this.#state;
    if ((state.kind !== "running" && state.kind !== "ending") || state.process !== child) return;
    const { name, log, onCrash } = this.#options;
    if (performance.now() - state.startedAt >= stableAfterMs) this.#crashesInRow = 0;
    const signal = child.signalCode;
    const reason =
      state.kind === "ending" ? state.reason : `the ${name} process ended by itself (${signal ?? exitCode})`;
    const { state: next, delayMs } = this.#backOff(reason);
    this.#state = next;
    const level = diskFailure(reason) === undefined ? "error" : "debug";
    // A disk failure repeats at each start; the owner logs the outage once.
    log?.[level]("A process died and will be restarted.", { process: name, reason, exitCode, signal, delayMs });
    this.#pending.failAll(reason);
    onCrash();
  }

  /** Returns the state after a crash or a failed start. */
  #backOff(reason: string): { state: State; delayMs: number } {
    this.#crashesInRow++;
    const delayMs = restartDelayMs(this.#crashesInRow);
    return { state: { kind: "none", notBefore: performance.now() + delayMs, reason }, delayMs };
  }
}

function reasonOf(state: State): string {
  return state.kind === "none" || state.kind === "ending" ? state.reason : closedReason;
}

/** Thrown by a verb when only a restart of its process can repair the failure. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/** Answers the owner's calls from now on, with a priority lowered by `niceness` (0 to 19). */
export function serveSubprocess<Table extends Verbs>(niceness: number, handlers: Handlers<Table>): void {
  lowerPriority(niceness);
  const answerer = new CallAnswerer(handlers);
  process.on("message", async (call: Call) => {
    try {
      reply(await answerer.answer(call));
    } catch (error) {
      if (error instanceof FatalError || call.id === startId) reportAndDie(error);
      else reply(failedReply(call.id, error));
    }
  });
  process.on("disconnect", killSelf);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, reportAndDie);
}

function reportAndDie(error: unknown): void {
  setTimeout(killSelf, finalMessageMaxMs);
  process.send?.({ kind: "broken", message: messageOf(error) } satisfies Reply, undefined, undefined, killSelf);
}

function reply(answer: Reply): void {
  process.send?.(answer);
}

function killSelf(): void {
  process.kill(process.pid, "SIGKILL");
}
