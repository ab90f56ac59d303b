import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { minuteMs, secondMs } from "../../../base/time.ts";
import type { Statement } from "./sql.ts";

/** The most open connections to ClickHouse; further calls wait. */
const connectionsMax = 16;

/** The most memory of one statement. Groupings and sorts that need more than a quarter of it use the server's disk. */
const statementBytesMax = 4_000_000_000;
/**
 * Bounds of an export's memory: each of its threads holds a row group of a Parquet file, and the clicks of one may each
 * have a URL of kilobytes.
 */
const exportThreadsMax = 2;
const rowGroupRows = 100_000;

/** A row of an answer, by column name. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Settings of every statement.
 *
 * 1. A query must be complete before its answer begins, so that a failure is an error and no short answer.
 * 2. An insert is one block of one part: it is stored whole or not at all. Its token is remembered.
 * 3. Deletions and mutations have ended when they return.
 * 4. Each statement has a bound of memory, so that none takes that of the others.
 * 5. All parts of a query see the same clicks: one counts whole hours or months, others the rest of the period.
 */
const usualSettings = {
  wait_end_of_query: 1,
  prefer_column_name_to_alias: 1,
  output_format_json_quote_64bit_integers: 0,
  async_insert: 0,
  insert_deduplicate: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: "1000000",
  min_insert_block_size_rows: "1000000",
  lightweight_deletes_sync: "2",
  mutations_sync: "2",
  insert_distributed_sync: 1,
  enable_shared_storage_snapshot_in_query: 1,
  max_memory_usage: String(statementBytesMax),
  max_bytes_before_external_group_by: String(statementBytesMax / 4),
  max_bytes_before_external_sort: String(statementBytesMax / 4),
} as const;

/** ClickHouse at a URL, whose user, password and database are those of the URL. */
export class ClickHouse {
  readonly #client: ClickHouseClient;
  readonly #insertTimeMaxMs: number;

  constructor(url: string, { callTimeMaxMs, insertTimeMaxMs }: { callTimeMaxMs: number; insertTimeMaxMs: number }) {
    this.#insertTimeMaxMs = insertTimeMaxMs;
    this.#client = createClient({
      url,
      application: "waypost",
      max_open_connections: connectionsMax,
      // The caller's signal aborts a statement after the caller's timeout; this bounds a statement that has no signal.
      request_timeout: callTimeMaxMs + minuteMs,
      use_multipart_params_auto: true,
      compression: { request: true, response: true },
      clickhouse_settings: usualSettings,
      // The store's callers log failures once, with their own words.
      log: { level: 127 },
    });
  }

  /** The rows that answer a query, which is ended on the server after `timeMaxMs` or when `signal` is aborted. */
  async read({ sql, parameters }: Statement, timeMaxMs: number, signal: AbortSignal): Promise<Row[]> {
    const result = await this.#client.query({
      query: sql,
      query_params: parameters,
      format: "JSONEachRow",
      abort_signal: signal,
      clickhouse_settings: { max_execution_time: Math.ceil(timeMaxMs / secondMs) },
    });
    return await result.json<Row>();
  }

  /** Runs a statement that returns no rows. */
  async run({ sql, parameters }: Statement): Promise<void> {
    await this.#client.command({ query: sql, query_params: parameters });
  }

  /**
   * Inserts rows as one block. A block with the same token as an earlier one is dropped. Waits for an answer as long as
   * the option insertTimeMaxMs says: the caller repeats it.
   */
  async insert(table: string, columns: readonly string[], rows: readonly unknown[][], token: string): Promise<void> {
    const [first, ...others] = columns;
    if (first === undefined) throw new Error("An insert needs columns.");
    await this.#client.insert({
      table,
      columns: [first, ...others],
      values: rows,
      format: "JSONCompactEachRow",
      abort_signal: AbortSignal.timeout(this.#insertTimeMaxMs),
      clickhouse_settings: { insert_deduplication_token: token },
    });
  }

  /** The bytes that answer a query with a FORMAT, as they arrive. */
  async stream(
    { sql, parameters }: Statement,
    timeMaxMs: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { stream } = await this.#client.exec({
      query: sql,
      query_params: parameters,
      abort_signal: signal,
      clickhouse_settings: {
        max_execution_time: Math.ceil(timeMaxMs / secondMs),
        format_csv_null_representation: "",
        output_format_csv_crlf_end_of_line: 1,
        output_format_parquet_string_as_string: 1,
        output_format_parquet_row_group_size: String(rowGroupRows),
        max_threads: exportThreadsMax,
      },
    });
    return stream;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
