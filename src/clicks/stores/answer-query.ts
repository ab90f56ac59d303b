import type { ClickQuery } from "../query.ts";
import type { Row } from "./duckdb-rows.ts";
import { type CompiledQuery, compileQuery } from "./duckdb-sql.ts";
import type { Intake } from "./intake.ts";

/**
 * Answers a question of what the store holds at one moment: with the numbers of the links it names where they stay the
 * same meanwhile, and otherwise by their ids, in one statement.
 */
export async function answerQuery(
  { linkNumbers, hasTotals }: Pick<Intake, "linkNumbers" | "hasTotals">,
  query: ClickQuery,
  read: (asked: CompiledQuery) => Promise<Row[]>,
): Promise<Row[]> {
  const { version } = linkNumbers;
  if (version !== undefined) {
    const numbers = await linkNumbers.find(query.workspaceId, query.filters, read);
    const rows = await read(compileQuery(query, { hasTotals, numbers }));
    if (linkNumbers.version === version) return rows;
  }
  return await read(compileQuery(query, { hasTotals }));
}
