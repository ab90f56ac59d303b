/**
 * A thread that answers calls (calls.ts). The owner creates a Thread; the file that the thread runs calls serveThread
 * once.
 *
 * 1. The first verb is `start`, with the owner's argument.
 * 2. A thread that fails outside a verb (an uncaught error, a file that cannot be loaded) fails all pending calls,
 *    runs its own `close` and ends. The next call after its end starts a new thread.
 * 3. A call that has timed out before its turn is not run.
 * 4. Two threads of one owner never run at the same time, so the resources of the first are closed before the second
 *    opens them.
 */
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
import { messageOf } from "./message-of.ts";
import { lowerThreadPriority } from "./priority.ts";
import { secondMs } from "./time.ts";

/** How long a failed thread may take to close its resources. */
const closeTimeMaxMs = 10 * secondMs;

/** The owner's side of a thread; see the top of this file. */
export class Thread<Table extends Verbs> {
  readonly #file: URL;
  readonly #callTimeMaxMs: number;
  readonly #start: Table["start"]["argument"];
  readonly #pending = new PendingCalls<Table>();
  #worker: Worker | undefined;
  /** Why the thread accepts no calls: it failed and is about to end, or was terminated. */
  #failure: string | undefined;

  constructor(file: URL, callTimeMaxMs: number, start: Table["start"]["argument"]) {
    this.#file = file;
    this.#callTimeMaxMs = callTimeMaxMs;
    this.#start = start;
    this.#worker = this.#begin();
  }

  /**
   * Calls a verb of the thread.
   * Throws CallFailure when the verb fails, takes longer than `timeMaxMs`, or the thread is overloaded or gone.
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

  /** Ends the thread at once and for good; pending calls fail. */
  terminate(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail("the thread was ended");
    worker?.terminate();
  }

  #begin(): Worker {
    // smol: a small heap, because all threads share the memory of the process.
    const worker = new Worker(this.#file, { smol: true });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#settle(worker, data);
    worker.onerror = ({ message }) => this.#break(worker, message);
    worker.addEventListener("close", () => this.#leave(worker));
    worker.postMessage(this.#pending.startCall(this.#start));
    return worker;
  }

  #settle(worker: Worker, reply: Reply): void {
    if (reply.kind === "broken") {
      this.#break(worker, reply.message);
      return;
    }
    this.#pending.settle(reply);
    // A thread whose start failed cannot be used; the next call starts another.
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
 * Answers the owner's calls from now on, with a priority lowered by `niceness` (0 to 19). Only Linux has priorities per
 * thread; other systems ignore it.
 */
export function serveThread<Table extends Verbs>(niceness: number, handlers: Handlers<Table>): void {
  lowerThreadPriority(niceness);
  const answerer = new CallAnswerer(handlers);
  self.onmessage = async ({ data }: MessageEvent<Call>) => {
    postMessage(await answer(answerer, data));
  };
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => void closeAndExit(answerer, error));
  }
}

/** Closes the thread's resources, which would otherwise stay open beside those of the next thread. */
async function closeAndExit<Table extends Verbs>(answerer: CallAnswerer<Table>, error: unknown): Promise<void> {
  postMessage({ kind: "broken", message: messageOf(error) } satisfies Reply);
  const unlimited = { sentAt: performance.now(), timeMaxMs: Number.POSITIVE_INFINITY };
  const closed = answer(answerer, { id: startId, verb: "close", argument: undefined, ...unlimited });
  await Promise.race([closed, Bun.sleep(closeTimeMaxMs)]);
  process.exit(1);
}

async function answer<Table extends Verbs>(answerer: CallAnswerer<Table>, call: Call): Promise<Reply> {
  try {
    return await answerer.answer(call);
  } catch (error) {
    return failedReply(call.id, error);
  }
}
