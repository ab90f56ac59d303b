import { fileURLToPath } from "node:url";
import type { Log } from "../base/log.ts";
import { restartDelayMs, stableAfterMs } from "../base/restart-delay.ts";
import type { ChildMessage, SupervisorMessage } from "./supervisor-channel.ts";

/** How a child first came to be: ready, or dead before, with the reason. */
export type StartResult = { kind: "ready" } | { kind: "failed"; exitCode: number };

/** What a child is called, and the file and words that start it. */
export type ChildProgram = { name: string; file: URL; words: string[] };

/** A process that is kept running until it is told to stop. */
export class ChildProcess {
  readonly name: string;
  readonly #program: ChildProgram;
  readonly #log: Log;
  readonly #first = Promise.withResolvers<StartResult>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #onReady: (child: ChildProcess) => void;
  #process: Bun.Subprocess | undefined;
  #startedAt = 0;
  #crashesInRow = 0;
  #restarts = 0;
  #wasReady = false;
  #isStopping = false;
  #restart: Timer | undefined;

  /** Starts it; `onReady` is called each time it is ready. */
  constructor(program: ChildProgram, log: Log, onReady: (child: ChildProcess) => void) {
    this.name = program.name;
    this.#program = program;
    this.#log = log;
    this.#onReady = onReady;
    this.#start();
  }

  /** Resolves when it is ready for the first time, or has refused to start. */
  get first(): Promise<StartResult> {
    return this.#first.promise;
  }

  /** Times it was started after a death. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Tells it something; nobody hears it while it is being started again. */
  send(message: SupervisorMessage): void {
    try {
      this.#process?.send(message);
    } catch (error) {
      // It is dying, of which its end will tell.
      this.#log.debug("A process could not be told something.", { process: this.name, error });
    }
  }

  /** Tells it to stop and starts it no more; resolves when it has ended. */
  stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      clearTimeout(this.#restart);
      if (this.#process === undefined) this.#ended.resolve();
      else this.send({ kind: "stop" });
    }
    return this.#ended.promise;
  }

  /** Ends what has not ended by itself. */
  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  #start(): void {
    const { file, words } = this.#program;
    this.#startedAt = performance.now();
    // --no-orphans: killed with its supervisor, where the system can do that. Their lines go where the supervisor's go,
    // directly, so that the last one of a dying process is not lost.
    this.#process = Bun.spawn([process.execPath, "--no-orphans", "--no-install", fileURLToPath(file), ...words], {
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: (message: ChildMessage) => {
        if (message.kind !== "ready") return;
        this.#wasReady = true;
        this.#first.resolve({ kind: "ready" });
        this.#onReady(this);
      },
      onExit: (child, exitCode) => this.#onExit(exitCode, child.signalCode),
    });
  }

  #onExit(exitCode: number | null, signal: string | number | null): void {
    this.#process = undefined;
    if (this.#isStopping) {
      this.#ended.resolve();
      return;
    }
    // What refuses to start has said why, and would again; a kill says nothing about the next try.
    if (!this.#wasReady && signal === null) {
      this.#first.resolve({ kind: "failed", exitCode: exitCode ?? 1 });
      return;
    }
    const lifeMs = performance.now() - this.#startedAt;
    this.#crashesInRow = lifeMs >= stableAfterMs ? 1 : this.#crashesInRow + 1;
    const delayMs = restartDelayMs(this.#crashesInRow);
    this.#log.error("A process died and is started again.", { process: this.name, exitCode, signal, delayMs });
    this.#restart = setTimeout(() => {
      this.#restarts++;
      this.#start();
    }, delayMs);
  }
}
