import type { LogRange } from "../../store.ts";

/** A batch with the number that its rows carry. */
export type RecordedBatch = LogRange & {
  number: number;
  /** When it was first recorded, in milliseconds. */
  recordedAt: number;
  /** True if an earlier insert recorded it, and may have stored it. */
  isRepeated: boolean;
};

/**
 * The stored batches as of one instant: all with a number up to `newest`, except the `open` ones, which may be stored
 * or not. `cursors` are the ends of each spool's stored batches.
 */
export type BatchSnapshot = { cursors: Record<string, number>; newest: number; open: number[] };

/**
 * Records which batches of clicks are stored. ClickHouse has no transaction that moves a cursor with an insert, so the
 * bounds of a batch are recorded first, then its rows are inserted, and then the cursor moves.
 *
 * 1. A spool has at most one open batch: one that is recorded and not known to be stored. Its bounds never change.
 * 2. Numbers ascend in the order of recording, over all spools.
 */
export type BatchLog = {
  /** The position behind the last stored batch of a spool; 0 for an unknown spool. */
  cursor(spoolId: string): Promise<number>;
  /** The open batch of a spool. */
  openBatch(spoolId: string): Promise<LogRange | undefined>;
  /**
   * Records a batch; undefined when it is already stored. Throws when it begins before the cursor and ends after it, and
   * when the spool's open batch has other bounds.
   */
  record(batch: LogRange): Promise<RecordedBatch | undefined>;
  /** Moves the cursor to the end of a stored batch. */
  complete(batch: RecordedBatch): Promise<void>;
  snapshot(): Promise<BatchSnapshot>;
  /**
   * Records which store has the batches. Returns false, and records nothing, when it has clicks of another log: clicks name
   * workspaces by number, so reports would show them.
   */
  use(store: { id: string; isEmpty: boolean }): Promise<boolean>;
  /** Makes the next number greater than a stored one. */
  raiseNewest(number: number): Promise<void>;
  /** The lowest and highest number of the batches that hold a range; undefined when they are no longer known. */
  numbersOf(range: LogRange): Promise<{ lowest: number; highest: number } | undefined>;
  /** All cursors, also those at 0. */
  cursors(): Promise<Record<string, number>>;
  /** Replaces the cursors and batches of moves; see StoreMove. */
  replaceMoved(cursors: Readonly<Record<string, number>>): Promise<void>;
  close(): Promise<void>;
};
