import { fileURLToPath } from "node:url";
import type { Log } from "../base/log.ts";
import { restartDelayMs, stableAfterMs } from "../base/restart-delay.ts";
import type { ChildMessage, SupervisorMessage } from "./supervisor-channel.ts";

/** The result of a child's first start: what it said first, or that it exited before. */
type StartResult = { kind: "redirecting" } | { kind: "ready" } | { kind: "failed"; exitCode: number };

/** A child's name, its main file and arguments, and the secret that it may ask for. */
type ChildProgram = { name: string; file: URL; args: string[]; saltSecret: string };

/** A process that is restarted whenever it exits, until it is told to stop. */
export class ChildProcess {
  readonly name: string;
  readonly #program: ChildProgram;
  readonly #log: Log;
  readonly #first = Promise.withResolvers<StartResult>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #onReady: (child: ChildProcess) => void;
  #process: Bun.Subprocess | undefined;
  #startedAt = 0;
  #crashesInRow = 0;
  #restarts = 0;
  #wasReady = false;
  #isStopping = false;
  #restart: Timer | undefined;

  /** Starts the process; calls `onReady` each time it becomes ready. */
  constructor(program: ChildProgram, log: Log, onReady: (child: ChildProcess) => void) {
    this.name = program.name;
    this.#program = program;
    this.#log = log;
    this.#onReady = onReady;
    this.#start();
  }

  /** Resolves when the process redirects or is ready for the first time, or has failed to start. */
  get first(): Promise<StartResult> {
    return this.#first.promise;
  }

  /** Resolves when the process is ready for the first time. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The number of restarts. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Sends a message, which is lost while the process restarts. */
  send(message: SupervisorMessage): void {
    try {
      this.#process?.send(message);
    } catch (error) {
      // The process is exiting; onExit handles it.
      this.#log.debug("A process could not be told something.", { process: this.name, error });
    }
  }

  /** Asks the process to stop and does not restart it; resolves when it has exited. */
  stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      clearTimeout(this.#restart);
      if (this.#process === undefined) this.#ended.resolve();
      else this.send({ kind: "stop" });
    }
    return this.#ended.promise;
  }

  /** Kills a process that has not stopped in time. */
  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  #start(): void {
    const { file, args } = this.#program;
    this.#startedAt = performance.now();
    // --no-orphans: the system kills the child with its supervisor, where it can. The child inherits stdout and stderr,
    // so that the last line of a crash is not lost.
    this.#process = Bun.spawn([process.execPath, "--no-orphans", "--no-install", fileURLToPath(file), ...args], {
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: (message: ChildMessage) => this.#onMessage(message),
      onExit: (child, exitCode) => this.#onExit(exitCode, child.signalCode),
    });
  }

  #onMessage(message: ChildMessage): void {
    if (message.kind === "needsSaltSecret") {
      this.send({ kind: "saltSecret", secret: this.#program.saltSecret });
      return;
    }
    this.#wasReady = true;
    this.#first.resolve(message);
    if (message.kind === "redirecting") return;
    this.#ready.resolve();
    this.#onReady(this);
  }

  #onExit(exitCode: number | null, signal: string | number | null): void {
    this.#process = undefined;
    if (this.#isStopping) {
      this.#ended.resolve();
      return;
    }
    // A process that failed to start has logged why and would fail again; a killed one may succeed next time.
    if (!this.#wasReady && signal === null) {
      this.#first.resolve({ kind: "failed", exitCode: exitCode ?? 1 });
      return;
    }
    const lifeMs = performance.now() - this.#startedAt;
    this.#crashesInRow = lifeMs >= stableAfterMs ? 1 : this.#crashesInRow + 1;
    const delayMs = restartDelayMs(this.#crashesInRow);
    this.#log.error("A process died and will be restarted.", { process: this.name, exitCode, signal, delayMs });
    this.#restart = setTimeout(() => {
      this.#restarts++;
      this.#start();
    }, delayMs);
  }
}
