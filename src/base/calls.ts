/**
 * Calls from an owner to one of its threads or processes. Each verb has one argument and one result, which must survive
 * a structured clone. thread.ts and subprocess.ts transport the calls.
 */

/** TABLE of the verbs of a thread or process: the argument and the result of each. */
export type Verbs = Record<string, { argument: unknown; result: unknown }> & {
  start: { argument: unknown; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** The functions that answer the verbs of a table. */
export type Handlers<Table extends Verbs> = {
  [Name in keyof Table]: (argument: Table[Name]["argument"]) => Promise<Table[Name]["result"]>;
};

/** A call that failed, timed out or was refused. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
}

/**
 * A call. `until` is the time at which the owner stops waiting, by the wall clock, because threads and processes do not
 * share a monotonic clock. If the clock is set, running calls may fail.
 */
export type Call = { id: number; verb: string; argument: unknown; until: number };

/** The answer to a call; "broken" when the thread or process is about to end. */
export type Reply =
  | { kind: "done"; id: number; result: unknown }
  | { kind: "failed"; id: number; message: string }
  | { kind: "broken"; message: string };

/** The id of the first call, `start`, which has no caller that waits for it. */
export const startId = 0;

/** The most calls that may wait for one thread or process. Further calls fail at once. */
const waitingMax = 1_000;

type Waiting = { done(result: unknown): void; fail(error: CallFailure): void };

/** The owner's side: the calls that wait for an answer. */
export class PendingCalls<Table extends Verbs> {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = startId;

  /**
   * Makes a call and sends it with `send`. Throws CallFailure when the verb failed or took longer than `timeMaxMs`,
   * when too many calls wait, and with the message given to failAll.
   */
  make<Name extends keyof Table & string>(
    verb: Name,
    argument: Table[Name]["argument"],
    timeMaxMs: number,
    send: (call: Call) => void,
  ): Promise<Table[Name]["result"]> {
    if (this.#waiting.size >= waitingMax) return Promise.reject(new CallFailure("too many calls are waiting"));
    const id = ++this.#lastId;
    return new Promise<Table[Name]["result"]>((resolve, reject) => {
      const timer = setTimeout(() => waiting.fail(new CallFailure(`${verb} took too long`)), timeMaxMs);
      const forget = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      const waiting: Waiting = {
        done: (result) => {
          forget();
          // The handlers are typed by the same table.
          resolve(result as Table[Name]["result"]);
        },
        fail: (error) => {
          forget();
          reject(error);
        },
      };
      this.#waiting.set(id, waiting);
      send({ id, verb, argument, until: Date.now() + timeMaxMs });
    });
  }

  /** Gives the answer to its caller, unless the caller has stopped waiting. */
  settle(reply: Exclude<Reply, { kind: "broken" }>): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === "done") waiting?.done(reply.result);
    else waiting?.fail(new CallFailure(reply.message));
  }

  /** Fails every waiting call. */
  failAll(message: string): void {
    for (const waiting of [...this.#waiting.values()]) waiting.fail(new CallFailure(message));
  }
}

/** Answers a call. Throws what the verb throws. */
export async function answerCall<Table extends Verbs>(handlers: Handlers<Table>, call: Call): Promise<Reply> {
  const { id, verb, argument, until } = call;
  // After slow calls, work for callers that have given up would delay the others until they give up too.
  if (Date.now() >= until) return { id, kind: "failed", message: `${verb} waited too long` };
  return { id, kind: "done", result: await handlers[verb]?.(argument) };
}
