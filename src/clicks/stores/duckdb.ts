import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { minuteMs } from "../../base/time.ts";
import type { Click } from "../click.ts";
import type { ClickRow } from "../query.ts";
import type { BatchId, ClickStore } from "../store.ts";
import { appendFacts } from "./append-facts.ts";
import { Dictionary } from "./dictionary.ts";
import { type CompiledQuery, compilePage, compileQuery } from "./duckdb-sql.ts";
import { erase } from "./erase-facts.ts";
import { createTables, type PartName, partNames } from "./facts.ts";
import { countFacts, type ShelfBounds, settleFresh, settleRecent, usualBounds } from "./shelves.ts";
import { inTransaction } from "./transaction.ts";

/** Beyond this DuckDB spills to the folder beside the file. */
const memoryMax = "1GB";
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
  const instance = await DuckDBInstance.create(path, { threads: String(threads), memory_limit: memoryMax });
  const { writer, reader, settler } = await connectOrClose(instance);
  const inTurn = takingTurns();
  // One query at a time, since an interruption ends whichever the connection is at.
  const inReadersTurn = takingTurns();
  const intake = await Intake.open(writer, settler, bounds);
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
    await intake.end();
    try {
      for (const connection of [reader, settler, writer]) connection.closeSync();
    } finally {
      // Closing the instance writes the checkpoint, so that the next start has no log to replay.
      instance.closeSync();
    }
  }

  return {
    cursor: (spoolId) => write(() => readCursor(writer, spoolId)),
    insert: (batch, rows) => write(() => intake.insert(batch, rows)),
    query: async (asked) => (await read(compileQuery(asked))).map(clickRow),
    page: async (asked) => (await read(compilePage(asked))).map(click),
    erase: (scope) => write(() => intake.undisturbed(() => erase(writer, scope))),
    close: () => inTurn(close),
  };
}

/** An instance that stayed open after a failure would be a second one beside the next try's. */
async function connectOrClose(instance: DuckDBInstance) {
  try {
    const writer = await instance.connect();
    for (const sql of createTables) await writer.run(sql);
    return { writer, reader: await instance.connect(), settler: await instance.connect() };
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

async function readCursor(connection: DuckDBConnection, spoolId: string): Promise<number> {
  const result = await connection.runAndReadAll('SELECT "position" FROM cursors WHERE "spoolId" = $1', [spoolId]);
  const position = result.getRows()[0]?.[0];
  return position === undefined ? 0 : Number(position);
}

/** What is written, and the shelves that it moves over. Its calls are made one after another. */
class Intake {
  readonly #writer: DuckDBConnection;
  /** For the long move, during which the writer goes on. */
  readonly #settler: DuckDBConnection;
  readonly #bounds: ShelfBounds;
  readonly #dictionaries: Readonly<Record<PartName, Dictionary>>;
  #fresh = 0;
  #recent = 0;
  #settling: Promise<void> | undefined;
  #failure: unknown;

  private constructor(writer: DuckDBConnection, settler: DuckDBConnection, bounds: ShelfBounds) {
    this.#writer = writer;
    this.#settler = settler;
    this.#bounds = bounds;
    const named = partNames.map((name) => [name, new Dictionary(name, writer)]);
    // Made of each of the names.
    this.#dictionaries = Object.fromEntries(named) as Record<PartName, Dictionary>;
  }

  static async open(writer: DuckDBConnection, settler: DuckDBConnection, bounds: ShelfBounds): Promise<Intake> {
    const intake = new Intake(writer, settler, bounds);
    await intake.#recount();
    return intake;
  }

  async insert(batch: BatchId, rows: readonly Click[]): Promise<void> {
    if (await this.#store(batch, rows)) this.#fresh += rows.length;
    if (this.#fresh < this.#bounds.fresh) return;
    // What is being moved cannot be added to; the fresh ones wait, within bounds.
    if (this.#settling !== undefined && this.#fresh < this.#bounds.recent) return;
    await this.#settled();
    await settleFresh(this.#writer);
    this.#recent += this.#fresh;
    this.#fresh = 0;
    if (this.#recent >= this.#bounds.recent) this.#beginSettling();
  }

  /** Runs work while no facts are being moved; it may change how many there are. */
  async undisturbed(work: () => Promise<void>): Promise<void> {
    await this.#settled();
    await work();
    this.#forget();
    await this.#recount();
  }

  /** Waits for the move under way. */
  async end(): Promise<void> {
    await this.#settling;
  }

  /** Whether it was stored, and not known already. */
  async #store(batch: BatchId, rows: readonly Click[]): Promise<boolean> {
    try {
      return await inTransaction(this.#writer, async () => {
        const cursor = await readCursor(this.#writer, batch.spoolId);
        if (batch.to <= cursor) return false;
        if (batch.from < cursor) {
          throw new Error(`A batch from ${batch.from} to ${batch.to} straddles the store's cursor ${cursor}.`);
        }
        await appendFacts(this.#writer, this.#dictionaries, rows);
        const move = "INSERT OR REPLACE INTO cursors VALUES ($1, $2)";
        await this.#writer.run(move, [batch.spoolId, BigInt(batch.to)]);
        return true;
      });
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #beginSettling(): void {
    this.#settling = settleRecent(this.#settler)
      .then(() => {
        this.#recent = 0;
      })
      // Thrown by the next insert: of a store that cannot move facts, somebody has to hear.
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#settling = undefined;
      });
  }

  async #settled(): Promise<void> {
    await this.#settling;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  #forget(): void {
    for (const dictionary of Object.values(this.#dictionaries)) dictionary.forget();
  }

  async #recount(): Promise<void> {
    this.#fresh = await countFacts(this.#writer, "fresh");
    this.#recent = await countFacts(this.#writer, "recent");
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
