import { Problem } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import type { IngestStep, SpoolLocation, Tally } from "./ingest.ts";
import type { ClickQuery, ClickRow } from "./query.ts";
import type { DuckDbOptions } from "./stores/duckdb.ts";

/** Calls waiting for the thread; beyond it callers are told to come back. */
const waitingMax = 1_000;
/** The longest a call may take: a report over everything on a slow disk stays far below. */
const callTimeMaxMs = 60 * secondMs;

export type PipelineSettings = DuckDbOptions;

/** TABLE of what the thread does: argument and result of each verb. */
type Verbs = {
  start: { argument: PipelineSettings; result: undefined };
  cursor: { argument: string; result: number };
  ingest: { argument: SpoolLocation; result: IngestStep };
  tally: { argument: { directory: string; position: number }; result: Tally };
  query: { argument: ClickQuery; result: ClickRow[] };
  close: { argument: undefined; result: undefined };
};
type Verb = keyof Verbs;

export type PipelineCall = { [Name in Verb]: { id: number; verb: Name; argument: Verbs[Name]["argument"] } }[Verb];
export type PipelineReply =
  | { id: number; kind: "done"; result: unknown }
  | { id: number; kind: "failed"; message: string };

/**
 * The click store and the spool's readers, in a thread of their own.
 * Every call throws Problem "unavailable" while the store cannot be used; a later call tries it afresh.
 */
export type Pipeline = {
  /** The store's cursor in a spool. */
  cursor(spoolId: string): Promise<number>;
  /** Moves the next batch from the spool to the store; see ingest.ts. */
  ingest(spool: SpoolLocation): Promise<IngestStep>;
  /** Folds the next batch behind a position into the human clicks of each link; needs no store. */
  tally(spool: { directory: string; position: number }): Promise<Tally>;
  query(query: ClickQuery): Promise<ClickRow[]>;
  /** Closes the store and ends the thread. */
  close(): Promise<void>;
};

/** Starts the thread. The store is opened by the first call that needs it. */
export function startPipeline(settings: PipelineSettings): Pipeline {
  const thread = new PipelineThread(settings);
  return {
    cursor: (spoolId) => thread.call("cursor", spoolId),
    ingest: (spool) => thread.call("ingest", spool),
    tally: (spool) => thread.call("tally", spool),
    query: (query) => thread.call("query", query),
    close: () => thread.close(),
  };
}

type Waiting = { done(result: unknown): void; fail(error: Problem): void };

class PipelineThread {
  readonly #worker = new Worker(new URL("./pipeline-worker.ts", import.meta.url));
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: string | undefined;

  constructor(settings: PipelineSettings) {
    this.#worker.onmessage = ({ data }: MessageEvent<PipelineReply>) => this.#settle(data);
    this.#worker.onerror = ({ message }) => this.#fail(message);
    // Its answer says nothing; a thread that fails is told by #fail, to the calls that need it.
    this.call("start", settings).catch(() => {});
  }

  call<Name extends Verb>(verb: Name, argument: Verbs[Name]["argument"]): Promise<Verbs[Name]["result"]> {
    if (this.#failure !== undefined) return Promise.reject(unavailable(this.#failure));
    if (this.#waiting.size >= waitingMax) return Promise.reject(unavailable("too many questions are waiting"));
    const id = ++this.#lastId;
    return new Promise<Verbs[Name]["result"]>((resolve, reject) => {
      const timer = setTimeout(() => waiting.fail(unavailable(`${verb} took too long`)), callTimeMaxMs);
      const waiting: Waiting = {
        done: (result) => {
          this.#forget(id, timer);
          // The thread answers each verb with what the table says.
          resolve(result as Verbs[Name]["result"]);
        },
        fail: (error) => {
          this.#forget(id, timer);
          reject(error);
        },
      };
      this.#waiting.set(id, waiting);
      this.#worker.postMessage({ id, verb, argument });
    });
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.call("close", undefined);
    } finally {
      this.#worker.terminate();
    }
  }

  #settle(reply: PipelineReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === "done") waiting?.done(reply.result);
    else waiting?.fail(unavailable(reply.message));
  }

  #fail(message: string): void {
    this.#failure = message;
    for (const waiting of [...this.#waiting.values()]) waiting.fail(unavailable(message));
  }

  #forget(id: number, timer: Timer): void {
    clearTimeout(timer);
    this.#waiting.delete(id);
  }
}

function unavailable(reason: string): Problem {
  return new Problem(
    "unavailable",
    "The click store cannot answer at the moment; clicks are kept and will be counted.",
    {
      cause: new Error(reason),
    },
  );
}
