/** A row by the names of its columns; the schema has only texts, integers and nulls. */
export type Row = Readonly<Record<string, string | number | null>>;

/** A table as both engines store it: its columns, and those of its primary key, each in a fixed order. */
export type TableShape = { name: string; columns: readonly string[]; key: readonly string[] };

/** The last numbers that tables have given to rows, by table. */
export type LastNumbers = Record<string, number>;

/** What a copy between the engines needs of a database, on a separate connection. */
export interface TableRows {
  /** The tables of the schema, without those of the engine and of the migrations, referenced tables first. */
  tables(): Promise<TableShape[]>;
  /** At most `rowsMax` rows in the order of the key, after the row with the key of `after`. */
  read(table: TableShape, after: Row | undefined, rowsMax: number): Promise<Row[]>;
  count(table: TableShape): Promise<number>;
  lastNumbers(): Promise<LastNumbers>;
  close(): Promise<void>;
}

/** A database that receives a copy. Its progress is a text by table, in a table that exists until the copy is complete. */
export interface TableTarget extends TableRows {
  /** The progress of an unfinished copy; undefined without one. */
  progress(): Promise<Map<string, string> | undefined>;
  /** Begins a copy: creates the table of the progress. */
  begin(source: string): Promise<void>;
  /**
   * Removes the progress of the tables, and then all rows, also those that the migrations have inserted. So an interrupted call
   * is repeated.
   */
  clear(tables: readonly TableShape[]): Promise<void>;
  /** Inserts rows and sets the progress of their table in one transaction. */
  insert(table: TableShape, rows: readonly Row[], progress: string): Promise<void>;
  /** Records that the copy with this id is complete: later numbers follow the last ones. No Waypost opens it before `finish`. */
  complete(numbers: LastNumbers, copyId: string): Promise<void>;
  /** Ends a complete copy: drops the table of the progress. */
  finish(): Promise<void>;
}

/** How a row differs from its state in an older copy. */
export type Change = "removed" | "updated" | "added";

/** A database and an older copy of it. */
export interface ChangedRows extends TableRows {
  /** Finds the rows of these tables that differ from the copy, and returns their number. */
  findChanges(tables: readonly TableShape[]): Promise<number>;
  /** The rows that findChanges has found, in batches; of removed rows only the keys. */
  changes(table: TableShape, change: Change): Iterable<readonly Row[]>;
}

/** A target that can follow the changes of its source. */
export interface ChangeTarget extends TableTarget {
  /** Keeps the effects of `work` together, or none of them when it throws. */
  inTransaction(work: () => Promise<void>): Promise<void>;
  /** Removes the rows with these keys. */
  remove(table: TableShape, keys: readonly Row[]): Promise<void>;
  /** Inserts rows, and replaces those whose keys exist. */
  put(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** The present rows with the keys of `rows`, in any order. */
  readAt(table: TableShape, rows: readonly Row[]): Promise<Row[]>;
  /** True for an error of a change that breaks a unique index or a reference. */
  isRefusal(error: unknown): boolean;
}

/** Rows per batch of a copy: a row has some kilobytes at most, except images. */
export const rowsPerBatch = 500;

/** The name of the table with the progress of a copy. */
export const progressTable = "databaseCopyProgress";
/** The row of that table with the id of the complete copy. */
export const copiedRow = "*copied";
/** The row of that table that names the source. */
export const sourceRow = "*source";
