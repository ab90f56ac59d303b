/**
 * Copies a SQLite file that a running service changes into PostgreSQL, and refuses changes only at the end.
 *
 * 1. A snapshot is copied and compared as a whole, while the service changes its file.
 * 2. Each of a few rounds copies what has changed until the next snapshot, so the last changes are few.
 * 3. Then the file is locked, and the last changes are copied. From here on, nobody changes the file.
 */
import { applyChanges } from "./apply-changes.ts";
import { type CopiedCounts, copyTables, type ReportRows } from "./copy-tables.ts";
import type { MoveSnapshots } from "./move-snapshots.ts";
import { type LockedRows, openSqliteChanges, openSqliteRows } from "./sqlite-rows.ts";
import type { ChangedRows, ChangeTarget } from "./table-rows.ts";

/** Rounds after the first copy. Changes that arrive faster than they are copied need no more. */
const roundsMax = 5;
/** This many changed rows take less time than the comparison of the file, so another round saves nothing. */
const fewRows = 1_000;

/** What a copy reports: each batch of rows, each set of changes, and that these need a copy of all rows. */
export type FollowReports = { rows: ReportRows; changes(rows: number): void; again(): void };

type Follow = { name: string; target: ChangeTarget; report: FollowReports };

/** Copies the file until few changes are left; returns the path of the snapshot that the target equals. */
export async function copyWhileChanging(snapshots: MoveSnapshots, follow: Follow): Promise<string> {
  let copied = await snapshots.next();
  await withRows(openSqliteRows(copied), (rows) => copyAll(rows, follow));
  for (let round = 0; round < roundsMax; round++) {
    const next = await snapshots.next();
    const { changed } = await withRows(openSqliteChanges(next, copied), (rows) => copyChanges(rows, follow));
    copied = next;
    if (changed <= fewRows) break;
  }
  return copied;
}

/** Copies the last changes of the locked file; returns the rows by table. */
export async function copyLastChanges(rows: LockedRows & ChangedRows, follow: Follow): Promise<CopiedCounts> {
  return (await copyChanges(rows, follow)).counts;
}

async function copyChanges(rows: ChangedRows, follow: Follow): Promise<{ changed: number; counts: CopiedCounts }> {
  const applied = await applyChanges(rows, follow.target);
  if (applied !== undefined) {
    follow.report.changes(applied.changed);
    return applied;
  }
  follow.report.again();
  return { changed: Number.POSITIVE_INFINITY, counts: await copyAll(rows, follow) };
}

function copyAll(rows: Parameters<typeof copyTables>[0], { name, target, report }: Follow): Promise<CopiedCounts> {
  return copyTables(rows, target, { name, isChanging: true, report: report.rows });
}

async function withRows<Rows extends { close(): Promise<void> }, Result>(
  rows: Rows,
  use: (rows: Rows) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(rows);
  } finally {
    await rows.close();
  }
}
