import type { ClickExport, ExportFormat } from "../../export.ts";
import { exportColumns, formulaStarts } from "../export-columns.ts";
import type { BatchSnapshot } from "./batch-log.ts";
import { conditions, inSnapshot } from "./compile-query.ts";
import type { Expiry } from "./expiries.ts";
import { visitorText } from "./rows.ts";
import { type Bind, binding, type Statement } from "./sql.ts";

/** TABLE of ClickHouse's formats. A CSV file begins with csvHeader, since ClickHouse would quote its names. */
const formats: Record<ExportFormat, string> = { csv: "CSV", jsonl: "JSONEachRow", parquet: "Parquet" };

/** The first line of a CSV file. */
export const csvHeader = `${exportColumns.join(",")}\r\n`;

/**
 * Compiles an export to SQL: the count of its clicks, and the query for its rows. Both see the batches of one snapshot,
 * so the count matches the file. Pure; kept as golden files.
 */
export function compileExport(
  { selection, format, domains }: ClickExport,
  expiry: Expiry,
  snapshot: BatchSnapshot,
): { count: Statement; rows: Statement } {
  const counting = binding();
  const selected = (bind: Bind) =>
    [conditions(selection, expiry, bind), ...inSnapshot(snapshot, bind)].join("\n  AND ");
  const count = `SELECT count() AS clicks\nFROM clicks\nWHERE ${selected(counting.bind)}`;
  const { parameters, bind } = binding();
  const ids = bind(
    "Array(String)",
    domains.map(({ value }) => value),
  );
  const names = bind(
    "Array(String)",
    domains.map(({ label }) => label),
  );
  const domain = domains.length === 0 ? "domain" : `transform(domainId, ${ids}, ${names}, toString(domain))`;
  const columns = exportColumns.map((name) => `  ${columnOf(name, format, domain)} AS ${name}`);
  const sql = `SELECT\n${columns.join(",\n")}\nFROM clicks\nWHERE ${selected(bind)}\nFORMAT ${formats[format]}`;
  return { count: { sql: count, parameters: counting.parameters }, rows: { sql, parameters } };
}

function columnOf(name: (typeof exportColumns)[number], format: ExportFormat, domain: string): string {
  switch (name) {
    case "id":
    case "linkId":
      return `clicks.${name}`;
    case "timestamp":
      return format === "parquet" ? "clicks.time" : "concat(replaceOne(toString(clicks.time), ' ', 'T'), 'Z')";
    case "domain":
      return domain;
    case "trigger":
      return "toString(clicks.trigger)";
    case "qr":
      return "toBool(clicks.trigger = 'qr')";
    case "bot":
      return "nullIf(toString(clicks.bot), '')";
    case "visitor":
      // As text, because many programs read a column of integers and nulls as floats, which would merge visitors.
      return `nullIf(${visitorText("clicks.visitor")}, '')`;
    default:
      return format === "csv" ? escapedFormula(`clicks.${name}`) : `nullIf(toString(clicks.${name}), '')`;
  }
}

/** SQL for a text with an apostrophe before what a spreadsheet would read as a formula; see formulaStarts. */
function escapedFormula(column: string): string {
  const starts = formulaStarts.map((start) => `char(${[...Buffer.from(start)].join(", ")})`).join(", ");
  const text = `toString(${column})`;
  return `nullIf(if(substringUTF8(${text}, 1, 1) IN (${starts}), concat('\\'', ${text}), ${text}), '')`;
}
