import type { DuckDBConnection } from "@duckdb/node-api";
import { type FileLock, lockFileWithin } from "../../base/file-lock.ts";
import { minuteMs, secondMs } from "../../base/time.ts";
import type { ClickStore } from "../store.ts";
import { type Asking, answerPage, answerQuery } from "./answer-query.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { compileLinkCounts, linkCounts } from "./count-links.ts";
import { compileArrived } from "./duckdb-arrived.ts";
import { openDuckDbExports } from "./duckdb-exports.ts";
import { compileLastClicks, lastClick } from "./duckdb-last-clicks.ts";
import { click, clickRow } from "./duckdb-rows.ts";
import type { CompiledQuery } from "./duckdb-sql.ts";
import { type Engine, type EngineOptions, openEngine } from "./engine.ts";
import { erase } from "./erase-facts.ts";
import { expire } from "./expire-facts.ts";
import { readCursor } from "./intake.ts";
import { Endings, untilEnded } from "./interrupt.ts";
import { giveMemoryBack, Idleness, idleMemory, usualIdleMs, usualMemoryMax } from "./memory.ts";
import { copyWithoutLeftovers, hasLeftovers, removeUnfinished, replaceWithCopy } from "./rewrite.ts";
import { type ShelfBounds, usualBounds } from "./shelves.ts";
import { inPassing } from "./transaction.ts";
import { usualVisitorBounds, type VisitorBounds } from "./visitor-parts.ts";

/** How a store is opened; what may be left out is as it is in service then. */
export type DuckDbOptions = {
  /** Where the file lies. */
  path: string;
  /** How many threads one query may use. */
  threads: number;
  /** After what time a query is ended, waiting for those before it included; a minute when left out. */
  queryTimeMaxMs?: number;
  /** How full the shelves of facts.ts become. */
  bounds?: ShelfBounds;
  /** Of all that DuckDB does at once, as it writes sizes: "1GB". */
  memoryMax?: string;
  /** After what time without a question memory is given back; half a minute when left out. */
  idleMs?: number;
  /** How many clicks' visitors are counted at once. */
  visitorBounds?: VisitorBounds;
};

const usual = {
  queryTimeMaxMs: minuteMs,
  bounds: usualBounds,
  memoryMax: usualMemoryMax,
  idleMs: usualIdleMs,
  visitorBounds: usualVisitorBounds,
};

const closed = "The store is closed.";

/** How long opening waits for the process that has the file open, as one that was killed just now. */
const lockTimeMaxMs = 5 * secondMs;

/**
 * Opens the DuckDB file at `path`, made when absent, as a click store.
 * Appending blocks the calling thread for milliseconds, so the service opens it in a process apart.
 * Guarantee: at most one engine has the file open, also while a rewrite replaces it. A lock beside it is let go only when
 * the engine has closed without a failure; after any failure it is held until the process ends.
 * Throws when the file is locked for longer than lockTimeMaxMs, or cannot be opened.
 */
export async function openDuckDbStore(options: DuckDbOptions): Promise<ClickStore> {
  const held = await holdFile(options.path);
  const store = await openHeld({ ...usual, ...options });
  return {
    ...store,
    async close() {
      await store.close();
      held.release();
    },
  };
}

async function openHeld(settings: Required<DuckDbOptions>): Promise<ClickStore> {
  let engine = await openFile(settings);
  const exports = openDuckDbExports(() => engine.connect());
  const [inTurn, readers] = [takingTurns(), new ConnectionPool(() => engine.readers)];
  const [queries, rewrites] = [new Endings(), new Endings()];
  const idleness = new Idleness(settings.idleMs, () => write(rest));
  let isClosed = false;

  function write<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(() => {
      if (isClosed) throw new Error(closed);
      return work();
    });
  }

  /** Asks the store on a connection that is free, within the time a question may take. */
  async function inTime<Answer>(ask: (asking: Asking) => Promise<Answer>): Promise<Answer> {
    if (isClosed) throw new Error(closed);
    const answer = (ending: AbortSignal) => readers.useOne((connection) => ask(askingOf(connection, ending, settings)));
    return await idleness.duringQuestion(() => queries.run(answer, settings.queryTimeMaxMs));
  }

  /** Gives memory back where nobody needs any; in the writer's turn. Throws where somebody may, so that it is tried again. */
  async function rest(): Promise<void> {
    if (idleness.isAsked || exports.areUnderWay || engine.intake.isSettling) throw new Error("The store is at work.");
    // Not within exports.without: a rewrite waits for the writer's turn there, which is taken here.
    await readers.useAll(() => giveMemoryBack(engine.writer, idleMemory, settings.memoryMax));
  }

  /** DuckDB ends the whole process when it is left while it works, so queries are ended and waited for. */
  async function close(): Promise<void> {
    isClosed = true;
    queries.endAll(closed);
    await readers.useAll(exports.close);
    await engine.close();
  }

  async function rewrite(ending: AbortSignal): Promise<boolean> {
    // Asked first, since exports and a rewrite wait for each other.
    if (!(await write(() => hasLeftovers(engine.writer)))) return false;
    return await exports.without(() => write(() => rewriteFile(ending)));
  }

  /** Questions are answered until the last moment, when the new file takes the place of the old one. */
  async function rewriteFile(ending: AbortSignal): Promise<boolean> {
    const copy = () => copyWithoutLeftovers(engine.writer, settings.path, ending);
    if (!(await engine.intake.undisturbed(copy))) return false;
    await readers.useAll(async () => {
      await engine.close();
      replaceWithCopy(settings.path);
      engine = await openFile(settings);
    });
    return true;
  }

  return {
    cursor: (spoolId) => write(() => readCursor(engine.writer, spoolId)),
    ...changes((work) => idleness.duringWork(() => write(() => work(engine)))),
    ...questions(inTime, () => engine),
    export: (order, signal) => idleness.duringWork(() => exports.begin(order, signal)),
    rewrite: () => rewrites.run(rewrite),
    stopRewrite: async () => rewrites.endAll("The rewrite was stopped."),
    async close() {
      idleness.end();
      rewrites.endAll(closed);
      await inTurn(close);
    },
  };
}

/** Holds the lock of the file at `path`. */
async function holdFile(path: string): Promise<FileLock> {
  const lock = `${path}.lock`;
  const held = await lockFileWithin(lock, lockTimeMaxMs).catch((error: unknown) => {
    throw new Error(`${lock} cannot be locked: ${error instanceof Error ? error.message : error}`, { cause: error });
  });
  if (held === undefined) throw new Error(`${path} is open in another process, which holds ${lock}.`);
  return held;
}

/** Opens the file, and removes what a rewrite has left that did not come to its end. */
async function openFile(options: EngineOptions): Promise<Engine> {
  removeUnfinished(options.path);
  return await openEngine(options);
}

/** The calls that change rows. */
function changes(write: <Result>(work: (engine: Engine) => Promise<Result>) => Promise<Result>) {
  return {
    insert: (batch, rows) => write(({ intake }) => intake.insert(batch, rows)),
    erase: (scope) => write(({ intake, writer }) => intake.undisturbed(() => erase(writer, scope))),
    expire: (scope) => write(({ intake, writer }) => intake.undisturbed(() => expire(writer, scope))),
    recountSlots: (order) => write(({ intake }) => intake.recountSlots(order)),
  } satisfies Partial<ClickStore>;
}

/** The calls that ask for rows and change nothing. */
function questions(
  inTime: <Answer>(ask: (asking: Asking) => Promise<Answer>) => Promise<Answer>,
  engine: () => Engine,
) {
  const read = (asked: CompiledQuery) => inTime((asking) => asking.read(asked));
  return {
    storeId: async () => engine().storeId,
    query: async (asked) => (await inTime((asking) => answerQuery(engine().intake, asked, asking))).map(clickRow),
    firstClick: (workspaceId) => engine().intake.firstClicks.find(workspaceId, read),
    lastClicks: async (asked) => (await read(compileLastClicks(asked))).map(lastClick),
    page: (asked) => inTime((asking) => answerPage(engine().intake, asked, asking)),
    arrived: async (asked) => (await read(compileArrived(asked))).map(click),
    linkCounts: async (page) => linkCounts(await read(compileLinkCounts(page)), page),
  } satisfies Partial<ClickStore>;
}

/** Questions to one connection, unless `ending` is aborted first. */
function askingOf(
  reader: DuckDBConnection,
  ending: AbortSignal,
  { visitorBounds }: Pick<Asking, "visitorBounds">,
): Asking {
  return {
    visitorBounds,
    read: (asked) => run(reader, asked, ending),
    inPassing: (work) => inPassing(reader, work),
  };
}

/**
 * Runs one piece of work after another. A connection has one transaction at a time: a second insert begun within the
 * first, as by a caller who gave up waiting and tries again, would end the first one's transaction halfway.
 * Bound: the callers; the pipeline lets only so many wait.
 */
function takingTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    // The failure belongs to who asked for the work; the next in turn is not concerned.
    last = turn.catch(() => {});
    return turn;
  };
}

/** Answers a question, unless `ending` is aborted first. */
async function run(connection: DuckDBConnection, { sql, parameters }: CompiledQuery, ending: AbortSignal) {
  const result = await untilEnded(connection, ending, () =>
    parameters.length === 0 ? connection.runAndReadAll(sql) : connection.runAndReadAll(sql, parameters),
  );
  return result.getRowObjects();
}
