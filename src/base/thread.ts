/**
 * A thread that answers calls: verbs with one argument and one result, both structured-cloneable.
 * The owner makes it with new Thread; the thread's own file calls serveThread once.
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
import { secondMs } from "./time.ts";

/** TABLE of what a thread does: the argument and the result of each verb. */
export type Verbs = Record<string, { argument: unknown; result: unknown }> & {
  start: { argument: unknown; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** Why a call came to nothing. */
export class ThreadFailure extends Error {
  override readonly name = "ThreadFailure";
}

/**
 * `until` is when the owner stops waiting. It is the wall clock's, since in Bun each thread has a monotonic clock of its
 * own; whoever sets the clock fails at most the calls under way.
 */
type Call = { id: number; verb: string; argument: unknown; until: number };
type Reply =
  | { kind: "done"; id: number; result: unknown }
  | { kind: "failed"; id: number; message: string }
  | { kind: "broken"; message: string };
type Waiting = { done(result: unknown): void; fail(error: ThreadFailure): void };

/** Calls waiting for a thread; beyond it callers are told to come back. */
const waitingMax = 1_000;
/** What a thread that has failed may take to close what it holds, before it ends all the same. */
const closeTimeMaxMs = 10 * secondMs;
/** The call by which a thread begins; nobody waits for it. */
const startId = 0;

/** The owner's side of a thread. See the top of this file for what becomes of one that fails. */
export class Thread<Table extends Verbs> {
  readonly #file: URL;
  readonly #callTimeMaxMs: number;
  readonly #start: Table["start"]["argument"];
  readonly #waiting = new Map<number, Waiting>();
  #lastId = startId;
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
   * Throws ThreadFailure when the verb failed, took longer than `timeMaxMs` (the thread's own bound when left out), or
   * the thread is overloaded or gone.
   */
  call<Name extends keyof Table & string>(
    verb: Name,
    argument: Table[Name]["argument"],
    timeMaxMs = this.#callTimeMaxMs,
  ): Promise<Table[Name]["result"]> {
    if (this.#failure !== undefined) return Promise.reject(new ThreadFailure(this.#failure));
    if (this.#waiting.size >= waitingMax) return Promise.reject(new ThreadFailure("too many calls are waiting"));
    this.#worker ??= this.#begin();
    const worker = this.#worker;
    const id = ++this.#lastId;
    const until = Date.now() + timeMaxMs;
    return new Promise<Table[Name]["result"]>((resolve, reject) => {
      const timer = setTimeout(() => waiting.fail(new ThreadFailure(`${verb} took too long`)), timeMaxMs);
      const waiting: Waiting = {
        done: (result) => {
          this.#forget(id, timer);
          // The thread's handlers are typed by the same table.
          resolve(result as Table[Name]["result"]);
        },
        fail: (error) => {
          this.#forget(id, timer);
          reject(error);
        },
      };
      this.#waiting.set(id, waiting);
      worker.postMessage({ id, verb, argument, until } satisfies Call);
    });
  }

  /** Ends the thread at once and for good; calls under way fail. */
  terminate(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail("the thread was ended");
    worker?.terminate();
  }

  #begin(): Worker {
    const worker = new Worker(this.#file);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#settle(worker, data);
    worker.onerror = ({ message }) => this.#break(worker, message);
    worker.addEventListener("close", () => this.#leave(worker));
    const start = { id: startId, verb: "start", argument: this.#start, until: Number.POSITIVE_INFINITY };
    worker.postMessage(start satisfies Call);
    return worker;
  }

  #settle(worker: Worker, reply: Reply): void {
    switch (reply.kind) {
      case "done":
        this.#waiting.get(reply.id)?.done(reply.result);
        return;
      case "failed":
        this.#waiting.get(reply.id)?.fail(new ThreadFailure(reply.message));
        // A thread that has not started is of no use: the next one may.
        if (reply.id === startId) worker.terminate();
        return;
      case "broken":
        this.#break(worker, reply.message);
    }
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
    for (const waiting of [...this.#waiting.values()]) waiting.fail(new ThreadFailure(message));
  }

  #forget(id: number, timer: Timer): void {
    clearTimeout(timer);
    this.#waiting.delete(id);
  }
}

type Handlers<Table extends Verbs> = {
  [Name in keyof Table]: (argument: Table[Name]["argument"]) => Promise<Table[Name]["result"]>;
};

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
    process.on(event, (error) => void giveUp(handlers, error));
  }
}

/** Closes what the thread holds, since nothing else would: it outlives the thread and meets the next one's. */
async function giveUp<Table extends Verbs>(handlers: Handlers<Table>, error: unknown): Promise<void> {
  postMessage({ kind: "broken", message: messageOf(error) } satisfies Reply);
  const until = Number.POSITIVE_INFINITY;
  const closed = answer(handlers, { id: startId, verb: "close", argument: undefined, until });
  await Promise.race([closed, Bun.sleep(closeTimeMaxMs)]);
  process.exit(1);
}

async function answer<Table extends Verbs>(
  handlers: Handlers<Table>,
  { id, verb, argument, until }: Call,
): Promise<Reply> {
  // Behind slow calls, work for those who have gone would keep the others waiting until they go too.
  if (Date.now() >= until) return { id, kind: "failed", message: `${verb} waited too long` };
  try {
    return { id, kind: "done", result: await handlers[verb]?.(argument) };
  } catch (error) {
    return { id, kind: "failed", message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
