import { Database as SqliteFile } from "bun:sqlite";
import { z } from "zod";
import { busyTimeoutMs } from "./sqlite-busy.ts";
import type { DatabaseCopy, TableCounts } from "./table-counts.ts";

/** Tables that a backup leaves empty: with the salts, its holder could compute visitors from addresses. */
const emptiedTables = ["daySalts"];

/**
 * Copies the SQLite file at `from` into a new file at `to`, as of one moment, without the visitor salts. Blocks the
 * calling thread; readers and writers of the file go on.
 */
export function copySqlite(from: string, to: string): DatabaseCopy {
  const source = new SqliteFile(from, { readwrite: true, create: false });
  try {
    source.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    source.run("VACUUM INTO ?", [to]);
  } finally {
    source.close();
  }
  const copy = new SqliteFile(to, { readwrite: true, create: false });
  try {
    // The journal would hold the deleted rows in a second file.
    copy.run("PRAGMA journal_mode = MEMORY");
    copy.run("PRAGMA secure_delete = ON");
    for (const table of emptiedTables) copy.run(`DELETE FROM "${table}"`);
    return describe(copy);
  } finally {
    copy.close();
  }
}

/** Reads the rows of a copy. Throws when SQLite finds the file damaged. */
export function inspectSqliteCopy(path: string): DatabaseCopy {
  const copy = new SqliteFile(path, { readonly: true });
  try {
    const [found] = z
      .array(z.object({ integrity_check: z.string() }))
      .parse(copy.query("PRAGMA integrity_check").all());
    if (found?.integrity_check !== "ok") throw new Error(`SQLite finds damage: ${found?.integrity_check}`);
    return describe(copy);
  } finally {
    copy.close();
  }
}

const Names = z.array(z.object({ name: z.string() }));
const Count = z.object({ count: z.int() });

function describe(file: SqliteFile): DatabaseCopy {
  const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'linkSearch%' ORDER BY name`;
  const rows: TableCounts = {};
  for (const { name } of Names.parse(file.query(tables).all())) {
    rows[name] = Count.parse(file.query(`SELECT count(*) AS count FROM "${name}"`).get()).count;
  }
  const [last] = Names.parse(file.query(`SELECT name FROM kysely_migration ORDER BY name DESC LIMIT 1`).all());
  return { lastMigration: last?.name ?? "", rows };
}
