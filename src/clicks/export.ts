import { minuteMs } from "../base/time.ts";
import type { ClickSelection, Labelled } from "./query.ts";

/** The longest an export may take. Ten million clicks take a minute, plus the time that a slow client needs. */
export const exportTimeMaxMs = 30 * minuteMs;

/** The formats of exports. */
export const exportFormats = ["csv", "jsonl", "parquet"] as const;
/** All formats have the same columns; see stores/export-columns.ts. */
export type ExportFormat = (typeof exportFormats)[number];

/**
 * Clicks to export, in undefined order. `domains` are the current names of domains by id; clicks of other domains keep
 * the name that they were stored with.
 */
export type ClickExport = { selection: ClickSelection; format: ExportFormat; domains: readonly Labelled[] };

/** The number of clicks in an export, counted in its snapshot, and the length of the export in bytes. */
type ExportSize = {
  clicks: number;
  /**
   * Resolves when the store has written the export, which does not wait for a reader. Rejects when the export will not
   * be complete; a caller may ignore the rejection.
   */
  length: Promise<number>;
};

/**
 * A running export. The stream reads only what its consumer takes. It fails when the export will not be complete, so
 * that no consumer takes a part for the whole.
 */
export type RunningExport = ExportSize & { stream: ReadableStream<Uint8Array> };

/**
 * A running export in a file that is complete when `length` resolves; until then it may grow. The store removes the file when
 * its signal is aborted.
 */
export type ExportFile = ExportSize & { path: string };

/** Begins an export into a file that only this user can read. Resolves once the clicks are counted. */
export type ExportToFile = (request: ClickExport, signal: AbortSignal) => Promise<ExportFile>;
