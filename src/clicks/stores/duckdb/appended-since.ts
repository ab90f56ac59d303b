import { firstClickId } from "../../spool-format.ts";
import type { AppendedSince } from "../../store.ts";
import { conditions } from "./compile-query.ts";
import { binding, type CompiledQuery } from "./sql.ts";
import { flatRows, joinDimension } from "./star-schema.ts";

/**
 * Compiles the question for clicks that came in a stretch of a spool. Their ids are numbers in a row, and the store
 * keeps the least and the largest of each group of facts: those that came before are not looked at.
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

/** The halves of an id as facts hold them: the first as hex digits, the second as a number, here in decimal digits. */
function halvesOf(id: string): { high: string; low: string } {
  const digits = id.replaceAll("-", "");
  return { high: digits.slice(0, 16), low: String(BigInt(`0x${digits.slice(16)}`)) };
}
