import { mapInSlices } from "../base/time-slices.ts";

/**
 * Reads the rows of many names in batches of at most `batchMax` names, in the order of the names. On SQLite, a query
 * runs in the thread that answers visitors, so other work has its turn between two batches.
 */
export async function readInBatches<Row>(
  names: readonly string[],
  batchMax: number,
  read: (batch: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const starts = Array.from({ length: Math.ceil(names.length / batchMax) }, (_, index) => index * batchMax);
  const batches = await mapInSlices(starts, (start) => read(names.slice(start, start + batchMax)));
  return batches.flat();
}
