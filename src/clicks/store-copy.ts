import { hourMs } from "../base/time.ts";

/** The longest a copy may take: at a tenth of a usual disk's speed, enough for 100 GB. */
export const copyTimeMaxMs = 6 * hourMs;

/** What a copy holds: the rows of each table, and the cursors of its spools. */
export type CopyContents = Pick<WrittenCopy, "rows"> & Pick<StoreCopy, "cursors">;

/** A complete copy: its size, and the rows of each table. */
export type WrittenCopy = { bytes: number; rows: Readonly<Record<string, number>> };

/**
 * A running copy of the store, with the cursors of its spools in the copied snapshot. `written` rejects when the copy
 * failed or was aborted; then the file is gone.
 */
export type StoreCopy = { cursors: Readonly<Record<string, number>>; written: Promise<WrittenCopy> };

/** Begins a copy of the store into a new file. Resolves when its snapshot is fixed. One copy at a time. */
export type CopyStore = (path: string, signal: AbortSignal) => Promise<StoreCopy>;
