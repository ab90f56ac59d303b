import type { ClickExport, ExportFormat } from "../../export.ts";
import { exportColumns, formulaStarts } from "../export-columns.ts";
import { conditions } from "./compile-query.ts";
import { type Bind, binding, type CompiledQuery, unnested } from "./sql.ts";
import { dimensionTables, flatRows, ownedDimensions } from "./star-schema.ts";

/**
 * Compiles an export to SQL: the count of its clicks, and the statement that writes the file.
 *
 * 1. Every format has the same columns, with the names of the API. Unknown values are null, an empty cell in CSV.
 * 2. Values are the same in every format, except that in CSV no value can be read as a formula: see `escapeFormula`.
 * 3. Rows are written as they are read. Nothing is sorted or collected, so memory does not grow with their number.
 */

/** Rows per Parquet row group, which are held in memory. The usual 122,880 cost about 100 MB. */
const rowGroupRows = 20_480;

type Value = (format: ExportFormat) => string;

/** TABLE of the columns that are no plain texts. */
const values: Partial<Record<(typeof exportColumns)[number], Value>> = {
  id: () => `"id"`,
  timestamp: (format) =>
    format === "parquet" ? `make_timestamptz("time" * 1000)` : `strftime(epoch_ms("time"), '%Y-%m-%dT%H:%M:%S.%gZ')`,
  linkId: () => `"linkId"`,
  domain: () => `coalesce(named."label", "domain")`,
  trigger: () => `"trigger"`,
  qr: () => `"trigger" = 'qr'`,
  bot: () => `nullif("bot", '')`,
  // As text, because many programs read a column of integers and nulls as floats, which would merge visitors.
  visitor: () => `lower(lpad(to_hex("visitor"), 16, '0'))`,
};

/** TABLE of DuckDB's options by format. */
const options: Record<ExportFormat, string> = {
  csv: String.raw`FORMAT csv, HEADER true, NEW_LINE '\r\n'`,
  jsonl: "FORMAT json",
  parquet: `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}`,
};

/** Compiles an export into the file at `path`. Pure; kept as golden files. */
export function compileExport(request: ClickExport, path: string): { count: CompiledQuery; copy: CompiledQuery } {
  const { selection, format, domains } = request;
  const counting = binding();
  const count = `SELECT count(*)\nFROM facts\nWHERE ${conditions(selection, counting.bind)}`;

  const { parameters, bind } = binding();
  const select = exportColumns.map((name) => `  ${(values[name] ?? textOf(name))(format)} AS "${name}"`).join(",\n");
  const ids = domains.map(({ value }) => value);
  const labels = domains.map(({ label }) => label);
  const copy = [
    `COPY (\nSELECT\n${select}`,
    `FROM (\n${rowsOf(request, bind)}\n) AS clicks`,
    `LEFT JOIN (SELECT ${unnested(ids, bind)} AS "value", ${unnested(labels, bind)} AS "label") AS named`,
    `  ON "domainId" = named."value"`,
    `) TO ${quoted(path)} (${options[format]}, USE_TMP_FILE false)`,
  ].join("\n");
  return { count: { sql: count, parameters: counting.parameters }, copy: { sql: copy, parameters } };
}

/**
 * The clicks as flat rows. The dimension tables are filtered by workspace, because other workspaces may have far more
 * texts.
 */
function rowsOf({ selection }: ClickExport, bind: Bind): string {
  const own = ownedDimensions.map(
    (name) => `"${dimensionTables[name].table}"."workspaceId" = ${bind(selection.workspaceId)}`,
  );
  const facts = `(\nSELECT facts.*\nFROM facts\nWHERE ${conditions(selection, bind)}\n)`;
  return `${flatRows(facts)}\nWHERE ${own.join(" AND ")}`;
}

function textOf(name: string): Value {
  return (format) => (format === "csv" ? escapeFormula(`"${name}"`) : `nullif("${name}", '')`);
}

/** A text with an apostrophe before what a spreadsheet would read as a formula; see formulaStarts. */
function escapeFormula(column: string): string {
  const starts = formulaStarts.map((start) => (start < " " ? `chr(${start.charCodeAt(0)})` : quoted(start))).join(", ");
  return `CASE WHEN ${column} = '' THEN NULL WHEN left(${column}, 1) IN (${starts}) THEN '''' || ${column} ELSE ${column} END`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
