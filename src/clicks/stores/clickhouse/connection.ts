import { mutex } from "../../../base/mutex.ts";
import { minuteMs } from "../../../base/time.ts";
import { exportTimeMaxMs } from "../../export.ts";
import type { BatchLog } from "./batch-log.ts";
import { ClickHouse, type Row } from "./client.ts";
import { Expiries } from "./expiries.ts";
import { FirstClicks } from "./first-clicks.ts";
import { openSchema } from "./open-schema.ts";
import type { Topology } from "./schema.ts";
import type { Statement } from "./sql.ts";

const closed = "The store is closed.";

/** The longest a statement may take that changes rows. A removal in a large table rewrites gigabytes. */
const changeTimeMaxMs = 60 * minuteMs;

type ConnectionOptions = {
  url: string;
  topology: Topology;
  queryTimeMaxMs: number;
  insertTimeMaxMs: number;
  now: () => number;
};

/**
 * ClickHouse and the batch log: opens their tables, limits the time of statements, and runs one change at a time. Inserts
 * wait only for each other: a removal may take hours, in which the spool would become full.
 */
export class StoreConnection {
  readonly clickHouse: ClickHouse;
  readonly log: BatchLog;
  readonly topology: Topology;
  readonly expiries: Expiries;
  readonly firstClicks: FirstClicks;
  readonly now: () => number;
  readonly #queryTimeMaxMs: number;
  readonly #changing = mutex();
  readonly #inserting = mutex();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #opened: Promise<{ storeId: string }> | undefined;

  constructor(log: BatchLog, { url, topology, queryTimeMaxMs, insertTimeMaxMs, now }: ConnectionOptions) {
    const callTimeMaxMs = Math.max(changeTimeMaxMs, exportTimeMaxMs);
    this.clickHouse = new ClickHouse(url, { callTimeMaxMs, insertTimeMaxMs });
    this.log = log;
    this.topology = topology;
    this.#queryTimeMaxMs = queryTimeMaxMs;
    this.now = now;
    this.expiries = new Expiries((statement) => this.read(statement), now);
    this.firstClicks = new FirstClicks(now);
  }

  /** Aborted when the store closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Opens the tables. A failure is not kept, so that the next call tries again. */
  open(): Promise<{ storeId: string }> {
    if (this.closing.aborted) return Promise.reject(new Error(closed));
    this.#opened ??= openSchema(this.clickHouse, this.log, this.topology, this.now).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** The rows that answer a query, within the time limit. */
  async read(statement: Statement): Promise<Row[]> {
    await this.open();
    const inTime = AbortSignal.any([this.closing, AbortSignal.timeout(this.#queryTimeMaxMs)]);
    return await this.#track(this.clickHouse.read(statement, this.#queryTimeMaxMs, inTime));
  }

  /** Runs a change after the previous one. The pipeline limits how many calls wait. */
  async change<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#changing(() => this.#run(work));
  }

  /** Runs an insert after the one before, also while a change runs. */
  async insert(work: () => Promise<void>): Promise<void> {
    await this.#inserting(() => this.#run(work));
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.open();
    return await this.#track(work());
  }

  /** Aborts queries, waits for changes and for `others`, and closes both engines' connections. */
  async close(others: () => Promise<void>): Promise<void> {
    this.#closing.abort(new Error(closed));
    await Promise.all([this.#changing(async () => {}), this.#inserting(async () => {})]);
    await Promise.allSettled([...this.#running]);
    await others();
    await this.clickHouse.close();
    await this.log.close();
  }

  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }
}
