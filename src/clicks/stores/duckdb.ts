import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { minuteMs } from "../../base/time.ts";
import type { Click } from "../click.ts";
import type { ClickRow } from "../query.ts";
import type { ClickStore } from "../store.ts";
import { compileLinkCounts, linkCounts } from "./count-links.ts";
import { compileArrived } from "./duckdb-arrived.ts";
import { openDuckDbExports } from "./duckdb-exports.ts";
import { compileLastClicks, lastClick } from "./duckdb-last-clicks.ts";
import { type CompiledQuery, compilePage, compileQuery } from "./duckdb-sql.ts";
import { openEngine } from "./engine.ts";
import { erase } from "./erase-facts.ts";
import { expire } from "./expire-facts.ts";
import { readCursor } from "./intake.ts";
import { recountSlots } from "./recount-slots.ts";
import { copyWithoutLeftovers, hasLeftovers, removeUnfinished, replaceWithCopy } from "./rewrite.ts";
import { type ShelfBounds, usualBounds } from "./shelves.ts";

/** Between two tries to end a query: one that had not begun yet is not interrupted. */
const interruptEveryMs = 20;

/**
 * Where the file lies, how many threads one query may use, after what time a query is ended, waiting for those before
 * it included (a minute when left out), and how full the shelves of facts.ts become.
 */
export type DuckDbOptions = { path: string; threads: number; queryTimeMaxMs?: number; bounds?: ShelfBounds };

/**
 * Opens the DuckDB file at `path`, made when absent, as a click store.
 * Appending blocks the calling thread for milliseconds, so the service opens it in a thread of its own.
 */
export async function openDuckDbStore({
  path,
  threads,
  queryTimeMaxMs = minuteMs,
  bounds = usualBounds,
}: DuckDbOptions): Promise<ClickStore> {
  removeUnfinished(path);
  let engine = await openEngine(path, threads, bounds);
  const exports = openDuckDbExports(() => engine.connect());
  const inTurn = takingTurns();
  // One query at a time, since an interruption ends whichever the connection is at.
  const inReadersTurn = takingTurns();
  const queries = new Set<AbortController>();
  let isClosed = false;

  function refuseWhenClosed(): void {
    if (isClosed) throw new Error("The store is closed.");
  }

  function write<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(() => {
      refuseWhenClosed();
      return work();
    });
  }

  async function read(asked: CompiledQuery): Promise<Row[]> {
    refuseWhenClosed();
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new Error("The query took too long.")), queryTimeMaxMs);
    queries.add(ending);
    try {
      return await inReadersTurn(() => run(engine.reader, asked, ending.signal));
    } finally {
      clearTimeout(timer);
      queries.delete(ending);
    }
  }

  /** DuckDB ends the whole process when it is left while it works, so queries are ended and waited for. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const ending of queries) ending.abort(new Error("The store is closed."));
    await inReadersTurn(() => Promise.resolve());
    await exports.close();
    await engine.close();
  }

  /** Questions are answered until the last moment, when the new file takes the place of the old one. */
  async function rewriteFile(): Promise<boolean> {
    const { writer, intake } = engine;
    if (!(await hasLeftovers(writer))) return false;
    await intake.undisturbed(() => copyWithoutLeftovers(writer, path));
    await inReadersTurn(async () => {
      await engine.close();
      replaceWithCopy(path);
      engine = await openEngine(path, threads, bounds);
    });
    return true;
  }

  return {
    cursor: (spoolId) => write(() => readCursor(engine.writer, spoolId)),
    insert: (batch, rows) => write(() => engine.intake.insert(batch, rows)),
    query: async (asked) => (await read(compileQuery(asked, engine.intake))).map(clickRow),
    lastClicks: async (asked) => (await read(compileLastClicks(asked))).map(lastClick),
    page: async (asked) => (await read(compilePage(asked))).map(click),
    arrived: async (asked) => (await read(compileArrived(asked))).map(click),
    erase: (scope) => write(() => engine.intake.undisturbed(() => erase(engine.writer, scope))),
    export: exports.begin,
    expire: (scope) => write(() => engine.intake.undisturbed(() => expire(engine.writer, scope))),
    rewrite: () => exports.without(() => write(rewriteFile)),
    linkCounts: async (page) => linkCounts(await read(compileLinkCounts(page)), page),
    recountSlots: (order) => write(() => recountSlots(engine.writer, order)),
    close: () => inTurn(close),
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

/** Answers a question, unless `ending` is aborted first: then it throws, at once or as soon as DuckDB has let go. */
async function run(connection: DuckDBConnection, { sql, parameters }: CompiledQuery, ending: AbortSignal) {
  ending.throwIfAborted();
  let interrupting: Timer | undefined;
  const interrupt = () => {
    connection.interrupt();
    interrupting = setInterval(() => connection.interrupt(), interruptEveryMs);
  };
  ending.addEventListener("abort", interrupt);
  try {
    const result = await connection.runAndReadAll(sql, parameters);
    return result.getRowObjects();
  } finally {
    ending.removeEventListener("abort", interrupt);
    clearInterval(interrupting);
  }
}

type Row = Record<string, DuckDBValue>;

function clickRow({ value, clicks, visitors, within1, within2 }: Row): ClickRow {
  const within = [within1, within2].filter((wider) => typeof wider === "string");
  return {
    value: typeof value === "string" ? value : Number(value),
    ...(within.length === 0 ? {} : { within }),
    clicks: Number(clicks),
    ...(visitors === undefined ? {} : { visitors: Number(visitors) }),
  };
}

/** A stored row as the click it was made of. */
function click(row: Row): Click {
  const { id, time, workspaceId, visitor, ...texts } = row;
  return {
    // The table has a column for each of the other fields, all of them texts that append took from a Click.
    ...(texts as Omit<Click, "id" | "time" | "workspaceId" | "visitor">),
    id: String(id),
    time: Number(time),
    workspaceId: Number(workspaceId),
    visitor: typeof visitor === "bigint" ? visitor.toString(16).padStart(16, "0") : "",
  };
}
