import { minuteMs } from "../base/time.ts";
import type { ClickSelection, Labelled } from "./query.ts";

/** The longest an export may take. Ten million clicks take a minute, plus the time that a slow client needs. */
export const exportTimeMaxMs = 30 * minuteMs;

/** The formats of exports. */
export const exportFormats = ["csv", "jsonl", "parquet"] as const;
/** All formats have the same columns; see stores/duckdb/compile-export.ts. */
export type ExportFormat = (typeof exportFormats)[number];

/**
 * Clicks to write to the file at `path`, which is replaced if it exists. Their order is undefined. `domains` are the
 * current names of domains by id; clicks of other domains keep the name that they were stored with.
 */
export type ClickExport = {
  selection: ClickSelection;
  format: ExportFormat;
  path: string;
  domains: readonly Labelled[];
};

/**
 * An export that is being written. `clicks` is the number of clicks in the file, counted in the same snapshot. `ended`
 * resolves when the file is complete, and rejects when it will not be; a caller may ignore the rejection.
 */
export type StartedExport = { clicks: number; ended: Promise<void> };
