import { firstClickId } from "../../spool-format.ts";
import type { AppendedSince } from "../../store.ts";
import { conditions } from "./compile-query.ts";
import { binding, type CompiledQuery } from "./sql.ts";
import { flatRows, joinDimension } from "./star-schema.ts";

/**
 * Compiles the query for clicks that were appended to a spool in a range. Click ids increase within a spool, and DuckDB
 * keeps the minimum and maximum id of each row group, so it skips earlier clicks.
 */
export function compileAppendedSince({ selection, range: { spoolId, from, to }, limit }: AppendedSince): CompiledQuery {
  const { parameters, bind } = binding();
  const [lower, upper] = [halvesOf(firstClickId(spoolId, from)), halvesOf(firstClickId(spoolId, to))];
  const facts = [
    "SELECT facts.*",
    `FROM facts ${joinDimension("idPrefix")}`,
    `WHERE ${conditions(selection, bind)}`,
    `  AND "origins"."idHigh" = ${bind(lower.high)}`,
    `  AND facts."idLow" >= ${bind(lower.low)}::UBIGINT`,
    `  AND facts."idLow" < ${bind(upper.low)}::UBIGINT`,
    'ORDER BY facts."idLow"',
    `LIMIT ${bind(limit)}`,
  ].join("\n");
  return { sql: `${flatRows(`(\n${facts}\n)`)}\nORDER BY "id"`, parameters };
}

/** The two halves of an id, as facts store them: 16 hex digits, and a number in decimal digits. */
function halvesOf(id: string): { high: string; low: string } {
  const digits = id.replaceAll("-", "");
  return { high: digits.slice(0, 16), low: String(BigInt(`0x${digits.slice(16)}`)) };
}
