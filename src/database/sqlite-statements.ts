import type { SQLQueryBindings, Database as SqliteFile } from "bun:sqlite";
import type { CompiledQuery, QueryResult } from "kysely";
import { LruCache } from "../base/lru-cache.ts";

/** More statements than the program has, so none is evicted. Bun itself caches only the first 20. */
const statementsMax = 500;

type Prepared = { statement: ReturnType<SqliteFile["prepare"]>; returnsRows: boolean };

/** A cache of a database file's prepared statements: preparing one takes longer than most take to run. */
export class Statements {
  readonly #file: SqliteFile;
  readonly #prepared = new LruCache<string, Prepared>(statementsMax);

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** The prepared statement with this text; prepared by the first call. */
  get(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#file.prepare<unknown, SQLQueryBindings[]>(sql);
    const prepared = { statement, returnsRows: statement.columnNames.length > 0 };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  /** Runs a query of Kysely's. */
  execute<Row>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): QueryResult<Row> {
    const { statement, returnsRows } = this.get(sql);
    // Kysely derives the types of rows from the query.
    if (returnsRows) return { rows: statement.all(...bindings(parameters)) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...bindings(parameters));
    // A prepared statement keeps the columns that its tables had when it was prepared.
    if (changesTables.test(sql)) this.#prepared.clear();
    return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
  }
}

const changesTables = /^\s*(create|alter|drop)\s/i;

function bindings(parameters: ReadonlyArray<unknown>): SQLQueryBindings[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      return value;
    }
    throw new TypeError(`The schema has texts, numbers and nulls only; a ${typeof value} was bound.`);
  });
}
