import {
  type Compilable,
  CompiledQuery,
  type DialectAdapter,
  type Insertable,
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  SqliteAdapter,
  ValueNode,
} from "kysely";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Schema } from "./schema.ts";

/**
 * Queries that are built and compiled once per database, for the paths of every request: building a query with Kysely
 * and compiling it takes longer than SQLite takes to run it.
 */

/** A placeholder for a value while a query is built. Kysely passes it through to the parameters unchanged. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Db = Kysely<Schema>;

type Compiled = { sql: string; parameters: readonly unknown[] };

/** Returns the placeholder of a value in a prepared query. */
export type Slot<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name];

/**
 * A query as a function of its values; `build` receives the function that returns placeholders.
 * The query's shape must not depend on its values: a value that may be null must not be used with `is` or `in`.
 */
export function prepared<Values extends Record<string, string | number | null>, Row>(
  build: (db: Db, value: Slot<Values>) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const known = new WeakMap<DialectAdapter, Compiled>();
  // Kysely treats a Placeholder like the value, as its comment says.
  const value: Slot<Values> = (name) => new Placeholder(name) as unknown as Values[typeof name];
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let compiled = known.get(adapter);
    if (compiled === undefined) {
      compiled = build(db.withPlugin(constantsInText), value).compile();
      known.set(adapter, compiled);
    }
    const parameters = compiled.parameters.map((one) => (one instanceof Placeholder ? values[one.name] : one));
    // Kysely derived the row type from the same query.
    return (await db.executeQuery(compiledQuery(compiled.sql, parameters))).rows as Row[];
  };
}

/**
 * Writes constants into the text. SQLite plans a query again at each run in which a parameter is a LIMIT, or is compared
 * with a column of a partial index; for a short query, that takes ten times as long as to run it.
 */
class ConstantWriter extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return node.value instanceof Placeholder ? node : ValueNode.createImmediate(node.value);
  }
}

const constantWriter = new ConstantWriter();
const constantsInText: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => constantWriter.transformNode(node, queryId),
  transformResult: async ({ result }) => result,
};

const { query, queryId } = CompiledQuery.raw("");

/** Like CompiledQuery.raw without freezing its parts, which takes an eighth of a bulk call. */
function compiledQuery(sql: string, parameters: readonly unknown[]): CompiledQuery {
  return { query, queryId, sql, parameters };
}

/** Few statements: one or two for each table and set of columns that the program writes. */
const inserts = new WeakMap<DialectAdapter, Map<string, string>>();
/** Rows of one statement on SQLite; with links' columns this is far below its 32,766 parameters. */
const batchRowsMax = 10;

/** Inserts rows, which must have the same columns in the same order. Throws the database's errors. */
export async function insertRows<Table extends keyof Schema & string>(
  db: Db,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
): Promise<void> {
  if (rows.length > 1 && !(db.getExecutor().adapter instanceof SqliteAdapter)) {
    // A round trip to another machine costs more than the text.
    await db.insertInto(table).values(rows).execute();
    return;
  }
  const columns = Object.keys(rows[0] ?? {});
  for (let start = 0; start < rows.length; ) {
    const count = rows.length - start >= batchRowsMax ? batchRowsMax : 1;
    const values = rows.slice(start, start + count).flatMap((row) => Object.values(row));
    if (values.length !== count * columns.length) throw new Error(`Rows of ${table} name different columns.`);
    await db.executeQuery(compiledQuery(insertText(db, table, columns, count), values));
    start += count;
    await yieldIfSliceSpent();
  }
}

function insertText(db: Db, table: keyof Schema & string, columns: readonly string[], count: number): string {
  const { adapter } = db.getExecutor();
  let texts = inserts.get(adapter);
  if (texts === undefined) {
    texts = new Map();
    inserts.set(adapter, texts);
  }
  const name = `${table} ${count} ${columns.join(" ")}`;
  let text = texts.get(name);
  if (text === undefined) {
    // Any value works, since only the text is kept, so the cast is safe.
    const values = Object.fromEntries(columns.map((column) => [column, new Placeholder(column)]));
    text = db
      .insertInto(table)
      .values(Array.from({ length: count }, () => values) as never)
      .compile().sql;
    texts.set(name, text);
  }
  return text;
}
