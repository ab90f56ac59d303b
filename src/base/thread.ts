/**
 * A thread that answers calls: verbs with one argument and one result, both structured-cloneable.
 * The owner makes it with new Thread; the thread's own file calls serveThread once.
 */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** TABLE of what a thread does: the argument and the result of each verb. */
export type Verbs = Record<string, { argument: unknown; result: unknown }>;

/** Why a call came to nothing. */
export class ThreadFailure extends Error {
  override readonly name = "ThreadFailure";
}

type Call = { id: number; verb: string; argument: unknown };
type Reply = { id: number; kind: "done"; result: unknown } | { id: number; kind: "failed"; message: string };
type Waiting = { done(result: unknown): void; fail(error: ThreadFailure): void };

/** Calls waiting for a thread; beyond it callers are told to come back. */
const waitingMax = 1_000;

/** The owner's side of a thread. */
export class Thread<Table extends Verbs> {
  readonly #worker: Worker;
  readonly #callTimeMaxMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: string | undefined;

  constructor(file: URL, callTimeMaxMs: number) {
    this.#callTimeMaxMs = callTimeMaxMs;
    this.#worker = new Worker(file);
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#settle(data);
    this.#worker.onerror = ({ message }) => this.#fail(message);
  }

  /** Throws ThreadFailure when the verb failed, took too long, or the thread is overloaded or gone. */
  call<Name extends keyof Table & string>(
    verb: Name,
    argument: Table[Name]["argument"],
  ): Promise<Table[Name]["result"]> {
    if (this.#failure !== undefined) return Promise.reject(new ThreadFailure(this.#failure));
    if (this.#waiting.size >= waitingMax) return Promise.reject(new ThreadFailure("too many calls are waiting"));
    const id = ++this.#lastId;
    return new Promise<Table[Name]["result"]>((resolve, reject) => {
      const timer = setTimeout(() => waiting.fail(new ThreadFailure(`${verb} took too long`)), this.#callTimeMaxMs);
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
      this.#worker.postMessage({ id, verb, argument } satisfies Call);
    });
  }

  /** Ends the thread at once; calls under way fail. */
  terminate(): void {
    this.#worker.terminate();
    this.#fail("the thread was ended");
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === "done") waiting?.done(reply.result);
    else waiting?.fail(new ThreadFailure(reply.message));
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
}

async function answer<Table extends Verbs>(handlers: Handlers<Table>, { id, verb, argument }: Call): Promise<Reply> {
  try {
    return { id, kind: "done", result: await handlers[verb]?.(argument) };
  } catch (error) {
    return { id, kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}
