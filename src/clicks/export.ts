import { minuteMs } from "../base/time.ts";
import type { ClickSelection, Labelled } from "./query.ts";

/** The longest that writing a file may take. Ten million clicks take a minute, however slowly they are fetched. */
export const exportTimeMaxMs = 30 * minuteMs;

/** The forms in which clicks are exported. */
export const exportFormats = ["csv", "jsonl", "parquet"] as const;
/** See stores/duckdb-export-sql.ts for the columns, which every format has. */
export type ExportFormat = (typeof exportFormats)[number];

/**
 * Clicks to be written to a file, in no promised order. `domains` says what domains are called now, by their ids; a
 * click of any other has the name it was made under. The file at `path` may be there already, and is replaced.
 */
export type ClickExport = {
  selection: ClickSelection;
  format: ExportFormat;
  path: string;
  domains: readonly Labelled[];
};

/**
 * An export whose file is being written. `clicks` is how many it will hold: counted in the same snapshot. `ended`
 * resolves when the file is whole, and rejects when it will not be; nobody needs to handle that.
 */
export type StartedExport = { clicks: number; ended: Promise<void> };
