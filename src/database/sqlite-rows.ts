import { Database as SqliteFile } from "bun:sqlite";
import { z } from "zod";
import { movedCopySetting, movedSetting, movedText } from "./moved.ts";
import { quoted } from "./quoted.ts";
import { busyTimeoutMs } from "./sqlite-busy.ts";
import { changesSince, Rows } from "./sqlite-changes.ts";
import {
  type ChangedRows,
  copiedRow,
  type LastNumbers,
  progressTable,
  type Row,
  sourceRow,
  type TableRows,
  type TableShape,
  type TableTarget,
} from "./table-rows.ts";

/** Only SQLite numbers the links, for its search index; see link-search.ts. New rows get new numbers. */
const rowNumber = "seq";

const Names = z.array(z.object({ name: z.string() }));
const Columns = z.array(z.object({ name: z.string(), pk: z.int() }));
const Numbers = z.array(z.object({ name: z.string(), seq: z.int() }));
const Count = z.object({ count: z.int() });
const Checkpoint = z.array(z.object({ busy: z.int() }));
const Progress = z.array(z.object({ name: z.string(), value: z.string() }));

/**
 * The rows of the SQLite file at `path`, which exists, as a source. Until it is closed, nobody else writes the file: writers
 * fail as with a busy file, and readers go on. Throws SQLITE_BUSY when another connection writes for long.
 */
export function lockSqliteRows(path: string): LockedRows {
  const file = openFile(path);
  lock(file);
  return lockedRows(file);
}

/** The rows of a SQLite file like lockSqliteRows, and what has changed since the older copy of it at `since`. */
export function lockSqliteChanges(path: string, since: string): LockedRows & ChangedRows {
  const file = openFile(path);
  const changes = changesSince(file, since);
  lock(file);
  return { ...lockedRows(file), ...changes };
}

/** The rows of the SQLite file at `path`, which nobody writes, and what has changed since the older copy of it at `since`. */
export function openSqliteChanges(path: string, since: string): ChangedRows {
  const file = openFile(path);
  return { ...rowsOf(file), ...changesSince(file, since) };
}

function lock(file: SqliteFile): void {
  try {
    file.run("BEGIN IMMEDIATE");
  } catch (error) {
    file.close();
    throw error;
  }
}

function lockedRows(file: SqliteFile): LockedRows {
  const rows = rowsOf(file);
  return {
    ...rows,
    async endMoved(to, copyId) {
      const store = file.query("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
      store.run(movedSetting, to);
      store.run(movedCopySetting, copyId);
      for (const { name } of await rows.tables()) if (name !== "settings") refuseWrites(file, name);
      file.run("COMMIT");
    },
  };
}

/** The rows of a source. `endMoved` marks them as moved to another engine, into this copy, and nobody writes them again. */
export type LockedRows = TableRows & { endMoved(to: string, copyId: string): Promise<void> };

/**
 * A service that is still running must not change rows that were copied. Without the setting, the old data can be used again,
 * and moved again.
 */
function refuseWrites(file: SqliteFile, table: string): void {
  for (const write of ["INSERT", "UPDATE", "DELETE"]) {
    file.run(`CREATE TRIGGER IF NOT EXISTS "moved ${table} ${write}" BEFORE ${write} ON "${table}"
      WHEN EXISTS (SELECT 1 FROM settings WHERE name = '${movedSetting}')
      BEGIN SELECT RAISE(ABORT, '${movedText}'); END`);
  }
}

/** The rows of the SQLite file at `path`, which exists, as a target. Foreign keys are not checked while rows arrive. */
export function openSqliteRows(path: string): TableTarget {
  return rowsOf(openFile(path));
}

function openFile(path: string): SqliteFile {
  const file = new SqliteFile(path, { readwrite: true, create: false });
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  file.run("PRAGMA foreign_keys = OFF");
  return file;
}

function rowsOf(file: SqliteFile): TableTarget {
  const exists = (table: string) => file.query("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) !== null;
  return {
    async tables() {
      const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'linkSearch%' AND name NOT LIKE 'kysely\\_%' ESCAPE '\\'
        AND name <> ? ORDER BY name`;
      return Names.parse(file.query(sql).all(progressTable)).map(({ name }) => shapeOf(file, name));
    },
    async read({ name, columns, key }, after, rowsMax) {
      const list = quoted(key);
      const where = after === undefined ? "" : `WHERE (${list}) > (${key.map(() => "?").join(", ")})`;
      const sql = `SELECT ${quoted(columns)} FROM "${name}" ${where} ORDER BY ${list} LIMIT ${rowsMax}`;
      return Rows.parse(file.prepare(sql).all(...(after === undefined ? [] : valuesOf(after, key))));
    },
    async count({ name }) {
      return Count.parse(file.query(`SELECT count(*) AS count FROM "${name}"`).get()).count;
    },
    async lastNumbers() {
      const numbers = exists("sqlite_sequence") ? file.query("SELECT name, seq FROM sqlite_sequence").all() : [];
      return Object.fromEntries(Numbers.parse(numbers).map(({ name, seq }) => [name, seq]));
    },
    async progress() {
      if (!exists(progressTable)) return undefined;
      const rows = Progress.parse(file.query(`SELECT name, value FROM "${progressTable}"`).all());
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    async begin(source) {
      file.run(`CREATE TABLE "${progressTable}" (name TEXT PRIMARY KEY, value TEXT NOT NULL)`);
      file.query(`INSERT INTO "${progressTable}" VALUES (?, ?)`).run(sourceRow, source);
    },
    async clear(tables) {
      file.query(`DELETE FROM "${progressTable}" WHERE name <> ?`).run(sourceRow);
      for (const { name } of tables) file.run(`DELETE FROM "${name}"`);
    },
    async insert({ name, columns }, rows, progress) {
      const sql = `INSERT INTO "${name}" (${quoted(columns)}) VALUES (${columns.map(() => "?").join(", ")})`;
      const statement = file.prepare(sql);
      file.transaction(() => {
        for (const row of rows) statement.run(...valuesOf(row, columns));
        file.query(`INSERT OR REPLACE INTO "${progressTable}" VALUES (?, ?)`).run(name, progress);
      })();
    },
    async complete(numbers, copyId) {
      const wrong = file.query("PRAGMA foreign_key_check").all();
      if (wrong.length > 0) throw new Error(`The copy has ${wrong.length} rows that refer to missing rows.`);
      file.transaction(() => {
        setNumbers(file, numbers);
        file.query(`INSERT OR REPLACE INTO "${progressTable}" VALUES (?, ?)`).run(copiedRow, copyId);
      })();
    },
    async finish() {
      file.run(`DROP TABLE IF EXISTS "${progressTable}"`);
      // The file is renamed next, without its log.
      const [log] = Checkpoint.parse(file.query("PRAGMA wal_checkpoint(TRUNCATE)").all());
      if (log === undefined || log.busy !== 0) throw new Error("The copy's log could not be moved into its file.");
    },
    async close() {
      file.close();
    },
  };
}

function shapeOf(file: SqliteFile, name: string): TableShape {
  const all = Columns.parse(file.query(`PRAGMA table_info("${name}")`).all());
  const columns = all.filter((column) => column.name !== rowNumber);
  // Where the engine numbers the rows, their id is unique too.
  if (columns.length < all.length) return { name, columns: columns.map((column) => column.name).sort(), key: ["id"] };
  const key = columns.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key.`);
  return { name, columns: columns.map((column) => column.name).sort(), key: key.map((column) => column.name) };
}

function setNumbers(file: SqliteFile, numbers: LastNumbers): void {
  for (const [name, seq] of Object.entries(numbers)) {
    file.query("DELETE FROM sqlite_sequence WHERE name = ?").run(name);
    file.query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, seq);
  }
}

function valuesOf(row: Row, columns: readonly string[]) {
  return columns.map((column) => row[column] ?? null);
}
