/**
 * Calls from an owner to a thread or a process of ours: verbs with one argument and one result, both
 * structured-cloneable. thread.ts and subprocess.ts carry them.
 */

/** TABLE of what a thread or process does: the argument and the result of each verb. */
export type Verbs = Record<string, { argument: unknown; result: unknown }> & {
  start: { argument: unknown; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** What answers each verb of a table. */
export type Handlers<Table extends Verbs> = {
  [Name in keyof Table]: (argument: Table[Name]["argument"]) => Promise<Table[Name]["result"]>;
};

/** Why a call came to nothing. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
}

/**
 * `until` is when the owner stops waiting. It is the wall clock's, since each thread and process has a monotonic clock of
 * its own; setting the clock fails at most the calls under way.
 */
export type Call = { id: number; verb: string; argument: unknown; until: number };

/** An answer to a call; "broken" when what answered is about to end. */
export type Reply =
  | { kind: "done"; id: number; result: unknown }
  | { kind: "failed"; id: number; message: string }
  | { kind: "broken"; message: string };

/** The call by which a thread or process begins; nobody waits for it. */
export const startId = 0;

/** Calls waiting for one thread or process; beyond it callers are told to come back. */
const waitingMax = 1_000;

type Waiting = { done(result: unknown): void; fail(error: CallFailure): void };

/** The owner's calls that wait for an answer. */
export class PendingCalls<Table extends Verbs> {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = startId;

  /**
   * Makes a call, which `send` carries. Throws CallFailure when the verb failed or took longer than `timeMaxMs`, when too
   * many calls are waiting, and with the reason given to failAll.
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

  /** Passes an answer on to its caller, unless that has stopped waiting. */
  settle(reply: Exclude<Reply, { kind: "broken" }>): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === "done") waiting?.done(reply.result);
    else waiting?.fail(new CallFailure(reply.message));
  }

  /** Fails every call that waits. */
  failAll(message: string): void {
    for (const waiting of [...this.#waiting.values()]) waiting.fail(new CallFailure(message));
  }
}

/** Answers a call. Throws what the verb throws. */
export async function answerCall<Table extends Verbs>(handlers: Handlers<Table>, call: Call): Promise<Reply> {
  const { id, verb, argument, until } = call;
  // Behind slow calls, work that no caller waits for any more would delay the others until they give up too.
  if (Date.now() >= until) return { id, kind: "failed", message: `${verb} waited too long` };
  return { id, kind: "done", result: await handlers[verb]?.(argument) };
}
