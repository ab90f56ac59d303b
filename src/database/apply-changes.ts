/**
 * Brings the copy of a database up to date with what has changed in the database since.
 *
 * 1. The copy was equal to its source, and nobody else writes it. So it is equal again when the changed rows are equal, and
 *    every table has as many rows as in the source.
 * 2. All changes and this comparison are one transaction: the copy stays as it was, or is equal.
 * 3. Removed rows come first, those that refer to others before them; then changed rows, and then new ones. So a new row may
 *    have the unique value of a row that was removed or has changed.
 */
import { type CopiedCounts, sameTables } from "./copy-tables.ts";
import type { ChangedRows, ChangeTarget, Row, TableShape } from "./table-rows.ts";

/** How many rows have changed, and the rows by table now. */
type AppliedChanges = { changed: number; counts: CopiedCounts };

/**
 * Applies the changes of `source` to `target`, which equals the older copy of the source; undefined, with the target unchanged,
 * when they need another order, as when two rows exchange a unique value.
 */
export async function applyChanges(source: ChangedRows, target: ChangeTarget): Promise<AppliedChanges | undefined> {
  const tables = await sameTables(source, target);
  const changed = await source.findChanges(tables);
  const counts: CopiedCounts = {};
  try {
    await target.inTransaction(async () => {
      for (const table of [...tables].reverse()) {
        for (const keys of source.changes(table, "removed")) await target.remove(table, keys);
      }
      for (const table of tables) {
        for (const rows of source.changes(table, "updated")) await target.put(table, rows);
        for (const rows of source.changes(table, "added")) await target.put(table, rows);
      }
      for (const table of tables) counts[table.name] = await requireEqual(source, target, table);
    });
  } catch (error) {
    if (error instanceof UnequalCopy || target.isRefusal(error)) return undefined;
    throw error;
  }
  return { changed, counts };
}

/** As when the removal of a row has removed others that now refer to another row. */
class UnequalCopy extends Error {
  constructor(table: string) {
    super(`The copy of ${table} differs from the source.`);
  }
}

async function requireEqual(source: ChangedRows, target: ChangeTarget, table: TableShape): Promise<number> {
  const count = await source.count(table);
  if ((await target.count(table)) !== count) throw new UnequalCopy(table.name);
  for (const keys of source.changes(table, "removed")) {
    if ((await target.readAt(table, keys)).length > 0) throw new UnequalCopy(table.name);
  }
  for (const change of ["updated", "added"] as const) {
    for (const rows of source.changes(table, change)) {
      if (!areEqual(rows, await target.readAt(table, rows), table)) throw new UnequalCopy(table.name);
    }
  }
  return count;
}

function areEqual(expected: readonly Row[], found: readonly Row[], { columns }: TableShape): boolean {
  const lines = (rows: readonly Row[]) =>
    rows.map((row) => JSON.stringify(columns.map((column) => row[column] ?? null))).sort();
  return JSON.stringify(lines(expected)) === JSON.stringify(lines(found));
}
