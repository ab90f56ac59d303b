import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Engine } from "./engine.ts";

/** TABLE of the functions that find a text in another one. */
const finders = { sqlite: "instr", postgres: "strpos" } as const satisfies Record<Engine, string>;

/**
 * SQL: true where `text`, an expression in SQL, contains `part`, in the same case.
 *
 * With LIKE, SQLite compares character by character at every position, so a long text that nearly occurs everywhere in
 * another one takes time that grows with the product of their lengths: a millisecond for 2,000 characters, this a microsecond.
 */
export function containsText(engine: Engine, text: string, part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.raw(finders[engine])}(${sql.raw(text)}, ${part}) > 0`;
}
