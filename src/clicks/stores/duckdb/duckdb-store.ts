import { dirname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type FileLock, lockFileWithin } from "../../../base/file-lock.ts";
import { messageOf } from "../../../base/message-of.ts";
import { mutex } from "../../../base/mutex.ts";
import { minuteMs, secondMs } from "../../../base/time.ts";
import type { MovableClickStore } from "../../move.ts";
import type { ClickStore } from "../../store.ts";
import { streamExport } from "../../stream-export.ts";
import { clickRow } from "../click-row.ts";
import { AbortableTasks, untilAborted } from "./abort.ts";
import { answerPage, answerQuery, type QueryRunner } from "./answer-query.ts";
import { compileAppendedSince } from "./appended-since.ts";
import { type LevelBounds, usualLevelBounds } from "./compact.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { compileLinkCounts, linkCounts } from "./count-links.ts";
import { type Engine, openEngine } from "./engine.ts";
import { erase } from "./erase.ts";
import { expire } from "./expire.ts";
import { openExports } from "./exports.ts";
import { usualFewTextsMax } from "./few-texts.ts";
import { compileLastClicks, lastClick } from "./last-clicks.ts";
import { IdleTimer, idleMemory, releaseMemory, usualIdleMs, usualMemoryMax } from "./memory.ts";
import { duckDbMove } from "./move.ts";
import { replaceWithNewFile } from "./new-file.ts";
import { click } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { inSnapshot } from "./transaction.ts";
import { copyLiveRows, isVacuumPending } from "./vacuum.ts";
import { usualVisitorBounds, type VisitorBounds } from "./visitor-partitions.ts";
import { readCursor } from "./writer.ts";

/** The options of a DuckDB store. Optional ones default to `usual`. */
export type DuckDbOptions = {
  /** The path of the file. The folder of exports is beside it. */
  path: string;
  /** Threads per query. */
  threads: number;
  /** The longest a query may take, including its wait for other queries; a minute by default. */
  queryTimeMaxMs?: number;
  /** How many facts the levels hold. */
  levelBounds?: LevelBounds;
  /** DuckDB's memory limit, such as "1GB". */
  memoryMax?: string;
  /** The time without queries after which memory is released; half a minute by default. */
  idleMs?: number;
  /** How many clicks' visitors are counted in one pass. */
  visitorBounds?: VisitorBounds;
  /** The most rows of a dimension table that are grouped without fingerprints. */
  fewTextsMax?: number;
};

const usual = {
  queryTimeMaxMs: minuteMs,
  levelBounds: usualLevelBounds,
  memoryMax: usualMemoryMax,
  idleMs: usualIdleMs,
  visitorBounds: usualVisitorBounds,
  fewTextsMax: usualFewTextsMax,
};

/**
 * Two vectors of DuckDB. With 20,000, a process with a backlog took 60 MiB more, and stored the clicks in 0.7 of the
 * time, since there are fewer commits.
 */
const batchClicksMax = 4_096;

const closed = "The store is closed.";

/** How long opening waits for another process to release the file, such as one that was just killed. */
const lockTimeMaxMs = 5 * secondMs;

/**
 * Opens the DuckDB file at `path`, created when absent, as a click store.
 * Appending blocks the calling thread for milliseconds, so the service opens the store in its own process.
 * Guarantee: at most one engine has the file open, also while a vacuum replaces it. The store holds a lock beside the
 * file, and releases it only after the engine has closed without an error; otherwise until the process ends.
 * Throws when the file is locked for longer than lockTimeMaxMs, or cannot be opened.
 */
export async function openDuckDbStore(options: DuckDbOptions): Promise<MovableClickStore> {
  const lock = await lockStoreFile(options.path);
  const store = await openLocked({ ...usual, ...options });
  return {
    ...store,
    batchClicksMax,
    openBatch: async () => undefined,
    endsWithFailedWrite: true,
    export: (request, signal) => streamExport(store.exportToFile, request, signal),
    async close() {
      await store.close();
      lock.release();
    },
  };
}

type LockedStore = Omit<MovableClickStore, "batchClicksMax" | "export" | "openBatch" | "endsWithFailedWrite">;

async function openLocked(settings: Required<DuckDbOptions>): Promise<LockedStore> {
  // First, because the exports of a killed process may fill the disk.
  const exports = openExports(() => engine.connect(), join(dirname(settings.path), "exports"));
  let engine = await openEngine(settings);
  const [exclusively, readers] = [mutex(), new ConnectionPool(() => engine.readers)];
  const [queries, closing] = [new AbortableTasks(), new AbortController()];
  const idleTimer = new IdleTimer(settings.idleMs, () => write(releaseIdleMemory));
  let isClosed = false;

  function write<Result>(work: () => Promise<Result>): Promise<Result> {
    return exclusively(() => {
      if (isClosed) throw new Error(closed);
      return work();
    });
  }

  /** Runs a query on a free connection, within the time limit. */
  async function inTime<Answer>(ask: (runner: QueryRunner) => Promise<Answer>): Promise<Answer> {
    if (isClosed) throw new Error(closed);
    const answer = (signal: AbortSignal) => readers.useOne((connection) => ask(runnerOf(connection, signal, settings)));
    return await idleTimer.duringQuery(() => queries.run(answer, settings.queryTimeMaxMs));
  }

  /** Releases memory, unless the store is busy; throws then, to be called again later. Runs as a write. */
  async function releaseIdleMemory(): Promise<void> {
    if (idleTimer.isAnswering || exports.areRunning || engine.writer.isCompacting)
      throw new Error("The store is at work.");
    // Not within exports.whilePaused: a vacuum may wait in it for the write lock, which this call holds.
    await readers.useAll(() => releaseMemory(engine.writeConnection, idleMemory, settings.memoryMax));
  }

  /** Aborts queries and waits for them: DuckDB crashes the process if it is closed while it works. */
  async function close(): Promise<void> {
    isClosed = true;
    queries.abortAll(closed);
    await readers.useAll(exports.close);
    await engine.close();
  }

  async function vacuum(signal: AbortSignal): Promise<boolean> {
    // Checked first, because a vacuum delays exports.
    if (!(await write(() => isVacuumPending(engine.writeConnection)))) return false;
    return await exports.whilePaused(() => write(() => vacuumFile(signal)));
  }

  /** Queries run until the moment when the new file replaces the old one. */
  async function vacuumFile(signal: AbortSignal): Promise<boolean> {
    const copy = () => copyLiveRows(engine.writeConnection, settings.path, signal);
    if (!(await engine.writer.withoutCompaction(copy))) return false;
    await readers.useAll(async () => {
      await engine.close();
      replaceWithNewFile(settings.path);
      engine = await openEngine(settings);
    });
    return true;
  }

  return {
    cursor: (spoolId) => write(() => readCursor(engine.writeConnection, spoolId)),
    ...writeCalls((work) => idleTimer.duringWork(() => write(() => work(engine)))),
    ...readCalls(inTime, () => engine),
    exportToFile: (request, signal) => idleTimer.duringWork(() => exports.begin(request, signal)),
    copyTo: (path, signal) => idleTimer.duringWork(() => exports.copy(path, signal)),
    maintain: (signal) => vacuum(AbortSignal.any([signal, closing.signal])),
    move: duckDbMove(() => engine),
    async close() {
      idleTimer.end();
      closing.abort(new Error(closed));
      await exclusively(close);
    },
  };
}

/** Locks the file at `path`. */
async function lockStoreFile(path: string): Promise<FileLock> {
  const lockPath = `${path}.lock`;
  const lock = await lockFileWithin(lockPath, lockTimeMaxMs).catch((error: unknown) => {
    throw new Error(`${lockPath} cannot be locked: ${messageOf(error)}`, { cause: error });
  });
  if (lock === undefined) throw new Error(`${path} is open in another process, which holds ${lockPath}.`);
  return lock;
}

/**
 * The calls that change rows, one at a time. A connection has one transaction: a second insert, by a caller who stopped
 * waiting and tries again, would end the first one's halfway.
 */
function writeCalls(write: <Result>(work: (engine: Engine) => Promise<Result>) => Promise<Result>) {
  return {
    insert: (batch, rows) => write(({ writer }) => writer.insert(batch, rows)),
    erase: (scope) =>
      write(({ writer, writeConnection }) => writer.withoutCompaction(() => erase(writeConnection, scope))),
    expire: (scope) =>
      write(({ writer, writeConnection }) => writer.withoutCompaction(() => expire(writeConnection, scope))),
    recountRollup: (request) => write(({ writer }) => writer.recountRollup(request)),
  } satisfies Partial<ClickStore>;
}

/** The calls that read rows. */
function readCalls(
  inTime: <Answer>(ask: (runner: QueryRunner) => Promise<Answer>) => Promise<Answer>,
  engine: () => Engine,
) {
  const read = (query: CompiledQuery) => inTime((runner) => runner.read(query));
  return {
    storeId: async () => engine().storeId,
    query: async (query) => (await inTime((runner) => answerQuery(engine().writer, query, runner))).map(clickRow),
    async firstClick({ workspaceId, before }) {
      const first = await engine().writer.firstClicks.find(workspaceId, read);
      return first !== undefined && first < before ? first : undefined;
    },
    lastClicks: async (query) => (await read(compileLastClicks(query))).map(lastClick),
    page: (query) => inTime((runner) => answerPage(engine().writer, query, runner)),
    appendedSince: async (query) => (await read(compileAppendedSince(query))).map(click),
    linkCounts: async (page) => linkCounts(await read(compileLinkCounts(page)), page),
  } satisfies Partial<ClickStore>;
}

/** Runs queries on one connection until `signal` is aborted. */
function runnerOf(
  reader: DuckDBConnection,
  signal: AbortSignal,
  { visitorBounds, fewTextsMax }: Pick<QueryRunner, "visitorBounds" | "fewTextsMax">,
): QueryRunner {
  return {
    ...{ visitorBounds, fewTextsMax },
    read: (query) => run(reader, query, signal),
    inSnapshot: (work) => inSnapshot(reader, work),
  };
}

/** Runs a statement until `signal` is aborted. */
async function run(connection: DuckDBConnection, { sql, parameters }: CompiledQuery, signal: AbortSignal) {
  const result = await untilAborted(connection, signal, () =>
    parameters.length === 0 ? connection.runAndReadAll(sql) : connection.runAndReadAll(sql, parameters),
  );
  return result.getRowObjects();
}
