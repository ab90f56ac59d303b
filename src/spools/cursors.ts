/** The names of the spools' readers. A new reader is a name here and a row of the table in readers.ts. */
export const readerNames = ["store", "counters"] as const;
export type ReaderName = (typeof readerNames)[number];

/** A number for each reader, such as its cursor: the position up to which it has applied a spool. */
export type PerReader = Record<ReaderName, number>;

/** The same number for every reader. */
export function forEveryReader(number: number): PerReader {
  return { store: number, counters: number };
}

/** The position that every reader has reached: the clicks before it may be deleted. */
export function slowestCursor(cursors: PerReader): number {
  return Math.min(...Object.values(cursors));
}

/** The position of the fastest reader: a restored spool continues after it. */
export function furthestCursorOf(cursors: PerReader): number {
  return Math.max(...Object.values(cursors));
}
