import type { ServedClickStore } from "../store.ts";
import type { CopyContents } from "../store-copy.ts";
import { inspectCopy } from "./duckdb/copy-store.ts";
import { type DuckDbOptions, openDuckDbStore } from "./duckdb/duckdb-store.ts";
import { isEngineInvalid } from "./duckdb/engine.ts";

/** The engine of a click store, and that engine's options. */
export type ClickStoreSettings = { engine: "duckdb" } & DuckDbOptions;

/** Opens a click store, created when absent. */
export async function openClickStore(settings: ClickStoreSettings): Promise<ServedClickStore> {
  switch (settings.engine) {
    case "duckdb":
      return await openDuckDbStore(settings);
  }
}

/** Reads what a copy holds, without changing it; see CopyStore. Throws when the file cannot be read. */
export async function inspectStoreCopy(path: string): Promise<CopyContents> {
  return await inspectCopy(path);
}

/** True for an error after which the store answers nothing until it is opened again. */
export function needsReopening(error: unknown): boolean {
  return isEngineInvalid(error);
}
