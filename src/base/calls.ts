/**
 * Calls from an owner to one of its threads or processes. Each verb has one argument and one result, which must survive
 * the transport: thread.ts sends structured clones, subprocess.ts sends JSON.
 */
import { messageOf } from "./message-of.ts";

/** TABLE of the verbs of a thread or process: the argument and the result of each. */
export type Verbs = Record<string, { argument: unknown; result: unknown }> & {
  start: { argument: unknown; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** The functions that answer the verbs of a table. */
export type Handlers<Table extends Verbs> = {
  [Name in keyof Table]: (argument: Table[Name]["argument"]) => Promise<Table[Name]["result"]>;
};

/** A call that failed, timed out or was refused. `kind` is that of the VerbError. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly kind: string | undefined;

  constructor(message: string, kind?: string) {
    super(message);
    this.kind = kind;
  }
}

/** Thrown by a verb for a failure that the caller must tell from others. */
export class VerbError extends Error {
  override readonly name = "VerbError";
  readonly kind: string;

  constructor(kind: string, message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A call: when it was sent, by the owner's monotonic clock, and how long the owner waits. Times are milliseconds. */
export type Call = { id: number; verb: string; argument: unknown; sentAt: number; timeMaxMs: number };

/** The answer to a call; "broken" when the thread or process is about to end. */
export type Reply =
  | { kind: "done"; id: number; result: unknown }
  | { kind: "failed"; id: number; message: string; failureKind?: string }
  | { kind: "broken"; message: string };

/** The id of the first call, `start`, which has no caller that waits for it. */
export const startId = 0;

/** The answer to a call whose verb has thrown. */
export function failedReply(id: number, error: unknown): Reply {
  const kind = error instanceof VerbError ? { failureKind: error.kind } : {};
  return { id, kind: "failed", message: messageOf(error), ...kind };
}

/** The most calls that may wait for one thread or process. Further calls fail at once. */
const waitingMax = 1_000;

type Waiting = { done(result: unknown): void; fail(error: CallFailure): void };

/** The owner's side: the calls that wait for an answer. */
export class PendingCalls<Table extends Verbs> {
  readonly #waiting = new Map<number, Waiting>();
  readonly #now: () => number;
  #lastId = startId;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The first call. Nobody waits for its answer, so it has no limit; JSON has no infinite numbers. */
  startCall(argument: Table["start"]["argument"]): Call {
    return { id: startId, verb: "start", argument, sentAt: this.#now(), timeMaxMs: Number.MAX_SAFE_INTEGER };
  }

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
      send({ id, verb, argument, sentAt: this.#now(), timeMaxMs });
    });
  }

  /** Gives the answer to its caller, unless the caller has stopped waiting. */
  settle(reply: Exclude<Reply, { kind: "broken" }>): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === "done") waiting?.done(reply.result);
    else waiting?.fail(new CallFailure(reply.message, reply.failureKind));
  }

  /** Fails every waiting call. */
  failAll(message: string): void {
    for (const waiting of [...this.#waiting.values()]) waiting.fail(new CallFailure(message));
  }
}

/**
 * The side of a thread or process: answers the owner's calls.
 *
 * It does not run a call that has waited for longer than its caller does. Threads and processes share no monotonic clock,
 * so it measures the wait: a call that arrives quickly has the least difference between the times at which it was sent
 * and received, each by the clock of that side; any excess over the least difference seen so far is a wait. Before the
 * first quick call, the least difference is too large, so calls whose callers have given up may still run.
 */
export class CallAnswerer<Table extends Verbs> {
  readonly #handlers: Handlers<Table>;
  readonly #now: () => number;
  #leastDifferenceMs = Number.POSITIVE_INFINITY;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(handlers: Handlers<Table>, now: () => number = () => performance.now()) {
    this.#handlers = handlers;
    this.#now = now;
  }

  /** Answers a call. Throws what the verb throws. */
  async answer({ id, verb, argument, sentAt, timeMaxMs }: Call): Promise<Reply> {
    const differenceMs = this.#now() - sentAt;
    this.#leastDifferenceMs = Math.min(this.#leastDifferenceMs, differenceMs);
    // After slow calls, work for callers that have given up would delay the others until they give up too.
    if (differenceMs - this.#leastDifferenceMs >= timeMaxMs) {
      return { id, kind: "failed", message: `${verb} waited too long` };
    }
    return { id, kind: "done", result: await this.#handlers[verb]?.(argument) };
  }
}
