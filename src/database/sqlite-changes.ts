import type { Database as SqliteFile } from "bun:sqlite";
import { z } from "zod";
import {
  type Change,
  type ChangedRows,
  type Row,
  rowsPerBatch,
  type TableRows,
  type TableShape,
} from "./table-rows.ts";

/** Rows as SQLite returns them. */
export const Rows = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])));
const Count = z.object({ count: z.int() });

/**
 * Compares a SQLite file with the older copy of it at `since`, in the temporary database of this connection. The connection
 * has no transaction yet.
 */
export function changesSince(file: SqliteFile, since: string): Omit<ChangedRows, keyof TableRows> {
  file.run("PRAGMA temp_store = MEMORY");
  file.run("ATTACH ? AS older", [since]);
  const count = (sql: string) => Count.parse(file.query(sql).get()).count;
  const countRows = (database: "main" | "older", { name }: TableShape) =>
    count(`SELECT count(*) AS count FROM ${database}."${name}"`);
  return {
    async findChanges(tables) {
      let changed = 0;
      for (const table of tables) {
        file.run(`DROP TABLE IF EXISTS temp.${changesOf(table)}`);
        file.run(changedSql(table));
        const added = count(`SELECT count(*) AS count FROM temp.${changesOf(table)} WHERE ${kind} = 'added'`);
        const [now, before] = [countRows("main", table), countRows("older", table)];
        // The search for removed rows reads the whole table once more.
        if (before + added > now) file.run(removedSql(table));
        changed += count(`SELECT count(*) AS count FROM temp.${changesOf(table)}`);
      }
      return changed;
    },
    *changes(table, change) {
      const last = count(`SELECT coalesce(max(rowid), 0) AS count FROM temp.${changesOf(table)}`);
      for (let after = 0; after < last; after += rowsPerBatch) {
        const rows = readChanges(file, table, change, after);
        if (rows.length > 0) yield rows;
      }
    },
  };
}

const kind = '"*change"';

function changesOf({ name }: TableShape): string {
  return `"changed ${name}"`;
}

/** A missing row has only nulls, so it differs too. */
function changedSql(table: TableShape): string {
  const { name, columns, key } = table;
  const differs = columns.map((column) => `n."${column}" IS NOT o."${column}"`).join(" OR ");
  return `CREATE TEMP TABLE ${changesOf(table)} AS
    SELECT ${of("n", key)}, iif(o."${key[0]}" IS NULL, 'added', 'updated') AS ${kind}
    FROM main."${name}" n LEFT JOIN older."${name}" o ON ${sameKey(key, "n", "o")} WHERE ${differs}`;
}

function removedSql(table: TableShape): string {
  const { name, key } = table;
  return `INSERT INTO temp.${changesOf(table)} SELECT ${of("o", key)}, 'removed' FROM older."${name}" o
    WHERE NOT EXISTS (SELECT 1 FROM main."${name}" n WHERE ${sameKey(key, "n", "o")})`;
}

function readChanges(file: SqliteFile, table: TableShape, change: Change, after: number): Row[] {
  const { name, columns, key } = table;
  const found = `temp.${changesOf(table)} c`;
  // CROSS JOIN begins with the few changes.
  const [list, from] =
    change === "removed"
      ? [of("c", key), found]
      : [of("n", columns), `${found} CROSS JOIN main."${name}" n ON ${sameKey(key, "n", "c")}`];
  const sql = `SELECT ${list} FROM ${from}
    WHERE c.rowid > ? AND c.rowid <= ? AND c.${kind} = ? ORDER BY c.rowid`;
  return Rows.parse(file.query(sql).all(after, after + rowsPerBatch, change));
}

function of(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}."${column}"`).join(", ");
}

function sameKey(key: readonly string[], left: string, right: string): string {
  return key.map((column) => `${left}."${column}" = ${right}."${column}"`).join(" AND ");
}
