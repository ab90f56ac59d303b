import type { MovableClickStore } from "../move.ts";
import type { CopyContents } from "../store-copy.ts";
import type { ClickHouseOptions } from "./clickhouse/clickhouse-store.ts";
import { inspectCopy } from "./duckdb/copy-store.ts";
import { type DuckDbOptions, openDuckDbStore } from "./duckdb/duckdb-store.ts";
import { isEngineInvalid, isMemoryLimit } from "./duckdb/engine.ts";

/** The engine of a click store, and that engine's options. */
export type ClickStoreSettings =
  | ({ engine: "duckdb" } & DuckDbOptions)
  /** `databaseUrl` is the PostgreSQL with the batch log. */
  | ({ engine: "clickhouse"; databaseUrl: string } & Omit<ClickHouseOptions, "now">);

/** Opens a click store, created when absent. */
export async function openClickStore(settings: ClickStoreSettings): Promise<MovableClickStore> {
  switch (settings.engine) {
    case "duckdb":
      return await openDuckDbStore(settings);
    case "clickhouse":
      return await openClickHouse(settings);
  }
}

/** Loads both drivers only when ClickHouse is used. */
async function openClickHouse(
  settings: Extract<ClickStoreSettings, { engine: "clickhouse" }>,
): Promise<MovableClickStore> {
  const { openClickHouseStore } = await import("./clickhouse/clickhouse-store.ts");
  const { openPostgresBatchLog } = await import("./clickhouse/postgres-batch-log.ts");
  return openClickHouseStore(settings, openPostgresBatchLog(settings.databaseUrl));
}

/** Reads what a copy holds, without changing it; see CopyStore. Throws when the file cannot be read. */
export async function inspectStoreCopy(path: string): Promise<CopyContents> {
  return await inspectCopy(path);
}

/** True for an error after which the store answers nothing until it is opened again. */
export function needsReopening(error: unknown): boolean {
  return isEngineInvalid(error);
}

/**
 * True for a statement that needed more memory than one statement may use. Not for a ClickHouse whose memory other
 * statements use: then a repetition may succeed.
 */
export function exceedsMemory(error: unknown): boolean {
  return isMemoryLimit(error) || isStatementLimit(error);
}

/** Here and not in `clickhouse/`, so that the driver is loaded only when ClickHouse is used. */
function isStatementLimit(error: unknown): boolean {
  if (!(error instanceof Error && "type" in error && error.type === "MEMORY_LIMIT_EXCEEDED")) return false;
  return /query memory limit|memory limit \(for query\)/i.test(error.message);
}
