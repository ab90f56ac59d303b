import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Engine } from "./engine.ts";

/** TABLE of the functions that find a text in another one. */
const finders = { sqlite: "instr", postgres: "strpos" } as const satisfies Record<Engine, string>;

/**
 * SQL: true where `text`, an expression in SQL, contains `part`, in the same case.
 *
 * LIKE compares character by character at every position on SQLite. Where a text of 501 characters nearly occurs at every
 * position of one of 2,000, LIKE takes a millisecond, and instr a microsecond.
 */
export function containsText(engine: Engine, text: string, part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.raw(finders[engine])}(${sql.raw(text)}, ${part}) > 0`;
}
