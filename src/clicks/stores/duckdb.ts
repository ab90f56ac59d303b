import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  INTEGER,
  UBIGINT,
  UUID,
  VARCHAR,
} from "@duckdb/node-api";
import { minuteMs } from "../../base/time.ts";
import type { Click } from "../click.ts";
import type { ClickRow } from "../query.ts";
import { type CompiledQuery, compilePage, compileQuery } from "../sql.ts";
import type { BatchId, ClickStore } from "../store.ts";

/** What one appended chunk holds at most: DuckDB's own vector size. */
const chunkRowsMax = 2_048;
/** Beyond this DuckDB spills to the folder beside the file. */
const memoryMax = "1GB";
/** Between two tries to end a query: one that had not begun yet is not interrupted. */
const interruptEveryMs = 20;

type Column = { name: string; type: DuckDBType; value: (click: Click) => DuckDBValue };

/** TABLE of the columns, in the order they are stored and appended. Unknown texts are ''. */
const columns: readonly Column[] = [
  {
    name: "id",
    type: UUID,
    value: (click) => DuckDBUUIDValue.fromUint128(BigInt(`0x${click.id.replaceAll("-", "")}`)),
  },
  { name: "time", type: BIGINT, value: (click) => BigInt(click.time) },
  { name: "workspaceId", type: INTEGER, value: (click) => click.workspaceId },
  ...texts("linkId", "domainId", "domain", "key", "url", "country", "region", "city", "continent"),
  ...texts("device", "browser", "os"),
  ...texts("referer", "refererUrl", "language", "trigger", "bot"),
  // No hash means that the visitor asked not to be told from others.
  { name: "visitor", type: UBIGINT, value: ({ visitor }) => (visitor === "" ? null : BigInt(`0x${visitor}`)) },
  ...texts("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"),
];

type TextField = { [Name in keyof Click]: Click[Name] extends string ? Name : never }[keyof Click];

function texts(...names: TextField[]): Column[] {
  return names.map((name) => ({ name, type: VARCHAR, value: (click) => click[name] }));
}

/**
 * Where the file lies, how many threads one query may use, and after what time a query is ended, waiting for those
 * before it included: a minute when left out.
 */
export type DuckDbOptions = { path: string; threads: number; queryTimeMaxMs?: number };

/**
 * Opens the DuckDB file at `path`, made when absent, as a click store.
 * Appending blocks the calling thread for milliseconds, so the service opens it in a thread of its own.
 */
export async function openDuckDbStore({
  path,
  threads,
  queryTimeMaxMs = minuteMs,
}: DuckDbOptions): Promise<ClickStore> {
  const instance = await DuckDBInstance.create(path, { threads: String(threads), memory_limit: memoryMax });
  const { writer, reader } = await connectOrClose(instance);
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
      return await inReadersTurn(() => run(reader, asked, ending.signal));
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
    try {
      reader.closeSync();
      writer.closeSync();
    } finally {
      // Closing the instance writes the checkpoint, so that the next start has no log to replay.
      instance.closeSync();
    }
  }

  return {
    cursor: (spoolId) => write(() => readCursor(writer, spoolId)),
    insert: (batch, rows) => write(() => insert(writer, batch, rows)),
    query: async (asked) => (await read(compileQuery(asked))).map(clickRow),
    page: async (asked) => (await read(compilePage(asked))).map(click),
    erase: (scope) => write(() => erase(writer, scope)),
    close: () => inTurn(close),
  };
}

/** An instance that stayed open after a failure would be a second one beside the next try's. */
async function connectOrClose(instance: DuckDBInstance) {
  try {
    const writer = await instance.connect();
    const reader = await instance.connect();
    await createTables(writer);
    return { writer, reader };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
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

async function createTables(connection: DuckDBConnection): Promise<void> {
  const list = columns.map(({ name, type }) => `"${name}" ${type}${name === "visitor" ? "" : " NOT NULL"}`).join(", ");
  await connection.run(`CREATE TABLE IF NOT EXISTS clicks (${list})`);
  await connection.run(
    'CREATE TABLE IF NOT EXISTS cursors ("spoolId" VARCHAR PRIMARY KEY, "position" BIGINT NOT NULL)',
  );
}

async function readCursor(connection: DuckDBConnection, spoolId: string): Promise<number> {
  const result = await connection.runAndReadAll('SELECT "position" FROM cursors WHERE "spoolId" = $1', [spoolId]);
  const position = result.getRows()[0]?.[0];
  return position === undefined ? 0 : Number(position);
}

async function insert(connection: DuckDBConnection, batch: BatchId, rows: readonly Click[]): Promise<void> {
  await connection.run("BEGIN TRANSACTION");
  try {
    const cursor = await readCursor(connection, batch.spoolId);
    if (batch.to > cursor) {
      if (batch.from < cursor) {
        throw new Error(`A batch from ${batch.from} to ${batch.to} straddles the store's cursor ${cursor}.`);
      }
      await append(connection, rows);
      await connection.run("INSERT OR REPLACE INTO cursors VALUES ($1, $2)", [batch.spoolId, BigInt(batch.to)]);
    }
    await connection.run("COMMIT");
  } catch (error) {
    await rollback(connection);
    throw error;
  }
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

async function append(connection: DuckDBConnection, rows: readonly Click[]): Promise<void> {
  const appender = await connection.createAppender("clicks");
  try {
    const types = columns.map(({ type }) => type);
    for (let start = 0; start < rows.length; start += chunkRowsMax) {
      const part = rows.slice(start, start + chunkRowsMax);
      const chunk = DuckDBDataChunk.create(types);
      chunk.setColumns(columns.map(({ value }) => part.map(value)));
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
}

async function erase(connection: DuckDBConnection, { workspaceId, linkId }: { workspaceId: number; linkId?: string }) {
  if (linkId === undefined) {
    await connection.run('DELETE FROM clicks WHERE "workspaceId" = $1', [workspaceId]);
  } else {
    await connection.run('DELETE FROM clicks WHERE "workspaceId" = $1 AND "linkId" = $2', [workspaceId, linkId]);
  }
}

async function rollback(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run("ROLLBACK");
  } catch {
    // The failure that led here is the one to tell; DuckDB has ended the transaction by itself when this one fails.
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
