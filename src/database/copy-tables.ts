/**
 * Copies all tables of a database into another one, of either engine.
 *
 * 1. Rows arrive in batches in the order of their keys. The transaction of a batch also sets the progress of its table,
 *    so an interrupted copy continues after its last batch.
 * 2. The table of the progress exists from before the first row until the caller finishes the copy. While it exists, no
 *    Waypost opens the database.
 * 3. The caller keeps both databases from being changed. A source that is changed later is copied as it was at one moment,
 *    and its copy follows the changes; see apply-changes.ts.
 */
import { createHash } from "node:crypto";
import { Problem } from "../base/problem.ts";
import { type Row, rowsPerBatch, sourceRow, type TableRows, type TableShape, type TableTarget } from "./table-rows.ts";

const complete = "complete";
/** The progress of tables whose source may change after an interruption. */
const changing = "changing";

/** Rows by table. */
export type CopiedCounts = Record<string, number>;
/** Called after each batch: how many rows a step has dealt with, and with which table. */
export type ReportRows = (step: "copy" | "compare", table: string, rows: number) => void;

/** The name of the source, and whether it changes before an interrupted copy is repeated, which then begins again. */
type CopyOptions = { name: string; isChanging?: boolean; report: ReportRows };

/**
 * Copies the rows, or goes on with an interrupted copy of the same `name`, and compares all tables. The target remains unusable
 * until it is finished.
 * Throws "conflict" when the target differs at the end, or has an unfinished copy of another source.
 */
export async function copyTables(
  source: TableRows,
  target: TableTarget,
  { name, isChanging = false, report }: CopyOptions,
): Promise<CopiedCounts> {
  const tables = await sameTables(source, target);
  const progress = await target.progress();
  if (progress?.get(sourceRow) !== name) {
    throw new Problem("conflict", "The target holds an unfinished copy of another database. Empty it first.");
  }
  const goesOn = !isChanging && progress.size > 1 && ![...progress.values()].includes(changing);
  if (!goesOn) await target.clear(tables);
  for (const table of tables) {
    const at = goesOn ? progress.get(table.name) : undefined;
    await copyTable({ source, target, table, at, isChanging }, report);
  }
  const counts: CopiedCounts = {};
  for (const table of tables) counts[table.name] = await compare(source, target, table, report);
  return counts;
}

type TableCopy = {
  source: TableRows;
  target: TableTarget;
  table: TableShape;
  at: string | undefined;
  isChanging: boolean;
};

async function copyTable({ source, target, table, at, isChanging }: TableCopy, report: ReportRows): Promise<void> {
  if (at === complete) return;
  let after: Row | undefined = at === undefined ? undefined : JSON.parse(at);
  for (;;) {
    const rows = await source.read(table, after, rowsPerBatch);
    const last = rows.at(-1);
    const isLast = rows.length < rowsPerBatch || last === undefined;
    const progress = isLast ? complete : JSON.stringify(keyOf(last, table));
    await target.insert(table, rows, isChanging ? changing : progress);
    report("copy", table.name, rows.length);
    if (isLast) return;
    after = last;
  }
}

function keyOf(row: Row, { key }: TableShape): Row {
  return Object.fromEntries(key.map((column) => [column, row[column] ?? null]));
}

/** The tables, referenced ones first. Throws "conflict" when the schemas of the two databases differ. */
export async function sameTables(source: TableRows, target: TableRows): Promise<TableShape[]> {
  const [from, to] = [await source.tables(), await target.tables()];
  const described = (tables: readonly TableShape[]) => tables.map((table) => JSON.stringify(table)).sort();
  const [left, right] = [described(from), described(to)];
  const odd = left.find((each) => !right.includes(each)) ?? right.find((each) => !left.includes(each));
  if (odd !== undefined) {
    throw new Problem(
      "conflict",
      `The schemas of the two databases differ in ${odd}. The service and this command must be of the same version.`,
    );
  }
  // PostgreSQL knows the order in which foreign keys hold.
  return to;
}

async function compare(source: TableRows, target: TableRows, table: TableShape, report: ReportRows): Promise<number> {
  const expected = await digest(source, table);
  const found = await digest(target, table);
  report("compare", table.name, expected.rows);
  if (expected.rows === found.rows && expected.hash === found.hash) return expected.rows;
  throw new Problem(
    "conflict",
    `The copy of ${table.name} has ${found.rows} rows and differs from the source, which has ${expected.rows}: the source has ` +
      "changed since an interrupted copy. Empty the target and copy again.",
  );
}

/** Both engines sort by bytes, so the rows of equal tables come in the same order. */
async function digest(rows: TableRows, table: TableShape): Promise<{ rows: number; hash: string }> {
  const hash = createHash("sha256");
  let count = 0;
  let after: Row | undefined;
  for (;;) {
    const batch = await rows.read(table, after, rowsPerBatch);
    for (const row of batch) hash.update(`${JSON.stringify(table.columns.map((column) => row[column] ?? null))}\n`);
    count += batch.length;
    after = batch.at(-1);
    if (batch.length < rowsPerBatch) return { rows: count, hash: hash.digest("hex") };
  }
}
