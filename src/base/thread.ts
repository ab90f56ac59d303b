/**
 * A thread that answers calls (calls.ts). The owner makes it with new Thread; the thread's own file calls serveThread once.
 *
 * 1. The first verb a thread answers is `start`, with the owner's argument.
 * 2. A thread that fails outside of a verb (an error nobody catches, a file that cannot be loaded) fails the calls
 *    under way, answers `close` to itself and ends. The next call after its end begins a new one.
 * 3. A call that its owner no longer waits for is not begun.
 * 4. Two threads of one owner are never alive at the same time: what the first one holds open is closed, or the
 *    thread that holds it is gone.
 */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import {
  answerCall,
  type Call,
  CallFailure,
  type Handlers,
  messageOf,
  PendingCalls,
  type Reply,
  startId,
  type Verbs,
} from "./calls.ts";
import { secondMs } from "./time.ts";

/** What a thread that has failed may take to close what it holds, before it ends all the same. */
const closeTimeMaxMs = 10 * secondMs;

/** The owner's side of a thread. See the top of this file for what becomes of one that fails. */
export class Thread<Table extends Verbs> {
  readonly #file: URL;
  readonly #callTimeMaxMs: number;
  readonly #start: Table["start"]["argument"];
  readonly #pending = new PendingCalls<Table>();
  #worker: Worker | undefined;
  /** Why the thread answers nothing: it failed and is about to end, or was ended. */
  #failure: string | undefined;

  constructor(file: URL, callTimeMaxMs: number, start: Table["start"]["argument"]) {
    this.#file = file;
    this.#callTimeMaxMs = callTimeMaxMs;
    this.#start = start;
    this.#worker = this.#begin();
  }

  /**
   * Throws CallFailure when the verb failed, took longer than `timeMaxMs` (the thread's own bound when left out), or
   * the thread is overloaded or gone.
   */
  call<Name extends keyof Table & string>(
    verb: Name,
    argument: Table[Name]["argument"],
    timeMaxMs = this.#callTimeMaxMs,
  ): Promise<Table[Name]["result"]> {
    if (this.#failure !== undefined) return Promise.reject(new CallFailure(this.#failure));
    this.#worker ??= this.#begin();
    const worker = this.#worker;
    return this.#pending.make(verb, argument, timeMaxMs, (call) => worker.postMessage(call));
  }

  /** Ends the thread at once and for good; calls under way fail. */
  terminate(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail("the thread was ended");
    worker?.terminate();
  }

  #begin(): Worker {
    // A small heap is collected more often: the threads share memory with the loop that answers visitors.
    const worker = new Worker(this.#file, { smol: true });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#settle(worker, data);
    worker.onerror = ({ message }) => this.#break(worker, message);
    worker.addEventListener("close", () => this.#leave(worker));
    const start = { id: startId, verb: "start", argument: this.#start, until: Number.POSITIVE_INFINITY };
    worker.postMessage(start satisfies Call);
    return worker;
  }

  #settle(worker: Worker, reply: Reply): void {
    if (reply.kind === "broken") {
      this.#break(worker, reply.message);
      return;
    }
    this.#pending.settle(reply);
    // A thread that has not started is of no use: the next one may.
    if (reply.kind === "failed" && reply.id === startId) worker.terminate();
  }

  #break(worker: Worker, message: string): void {
    if (worker === this.#worker) this.#fail(message);
  }

  #leave(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#fail("the thread ended");
    this.#worker = undefined;
    this.#failure = undefined;
  }

  #fail(message: string): void {
    this.#failure ??= message;
    this.#pending.failAll(message);
  }
}

declare const self: Worker;

/**
 * Answers the owner's calls from now on. `niceness` from 0 to 19 says how far the thread steps back behind the owner
 * when they share a core (Linux gives each thread a priority of its own; elsewhere it is ignored).
 */
export function serveThread<Table extends Verbs>(niceness: number, handlers: Handlers<Table>): void {
  if (process.platform === "linux") {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), niceness);
  }
  self.onmessage = async ({ data }: MessageEvent<Call>) => {
    postMessage(await answer(handlers, data));
  };
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => void closeAndExit(handlers, error));
  }
}

/** Closes what the thread holds, since nothing else would: it outlives the thread and meets the next one's. */
async function closeAndExit<Table extends Verbs>(handlers: Handlers<Table>, error: unknown): Promise<void> {
  postMessage({ kind: "broken", message: messageOf(error) } satisfies Reply);
  const until = Number.POSITIVE_INFINITY;
  const closed = answer(handlers, { id: startId, verb: "close", argument: undefined, until });
  await Promise.race([closed, Bun.sleep(closeTimeMaxMs)]);
  process.exit(1);
}

async function answer<Table extends Verbs>(handlers: Handlers<Table>, call: Call): Promise<Reply> {
  try {
    return await answerCall(handlers, call);
  } catch (error) {
    return { id: call.id, kind: "failed", message: messageOf(error) };
  }
}
