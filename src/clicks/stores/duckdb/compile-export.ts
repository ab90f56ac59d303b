import type { ClickExport, ExportFormat } from "../../export.ts";
import { conditions } from "./compile-query.ts";
import { type Bind, binding, type CompiledQuery, unnested } from "./sql.ts";
import { dimensionTables, flatRows, ownedDimensions } from "./star-schema.ts";

/**
 * An export as SQL for DuckDB: the number of its clicks, and the statement that writes its file.
 *
 * 1. Every format has the same columns, named as in the API. What is not known is null: an empty cell in CSV.
 * 2. Values are the same in every format, but for CSV, in which none can be taken for a formula: see `safe`.
 * 3. Rows are written as they are read, and nothing is sorted or gathered, so that memory does not grow with them.
 */

type Column = { name: string; value: (format: ExportFormat) => string };

/** Rows of Parquet that are held until they are written; the format's usual 122,880 cost some 100 MB. */
const rowGroupRows = 20_480;

/** TABLE of the columns, in the order of the file. */
const columns: readonly Column[] = [
  { name: "id", value: () => `"id"` },
  {
    name: "timestamp",
    value: (format) =>
      format === "parquet" ? `epoch_ms("time")` : `strftime(epoch_ms("time"), '%Y-%m-%dT%H:%M:%S.%gZ')`,
  },
  { name: "linkId", value: () => `"linkId"` },
  { name: "domain", value: () => `coalesce(named."label", "domain")` },
  ...texts("key", "url", "country", "region", "city", "continent", "device", "browser", "os"),
  ...texts("referer", "refererUrl", "language"),
  { name: "trigger", value: () => `"trigger"` },
  { name: "qr", value: () => `"trigger" = 'qr'` },
  { name: "bot", value: () => `nullif("bot", '')` },
  // As text, since many a program reads a whole number beside nulls as a float, which makes one visitor of several.
  { name: "visitor", value: () => `lower(lpad(to_hex("visitor"), 16, '0'))` },
  ...texts("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"),
];

/** The names of an export's columns, in its order. */
export const exportColumns: readonly string[] = columns.map(({ name }) => name);

/** TABLE of what DuckDB is told of each format. */
const options: Record<ExportFormat, string> = {
  csv: String.raw`FORMAT csv, HEADER true, NEW_LINE '\r\n'`,
  jsonl: "FORMAT json",
  parquet: `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}`,
};

/** Compiles an export. Pure; the texts are kept as golden files. */
export function compileExport(order: ClickExport): { count: CompiledQuery; copy: CompiledQuery } {
  const { selection, format, path, domains } = order;
  const counting = binding();
  const count = `SELECT count(*)\nFROM facts\nWHERE ${conditions(selection, counting.bind)}`;

  const { parameters, bind } = binding();
  const select = columns.map(({ name, value }) => `  ${value(format)} AS "${name}"`).join(",\n");
  const ids = domains.map(({ value }) => value);
  const labels = domains.map(({ label }) => label);
  const copy = [
    `COPY (\nSELECT\n${select}`,
    `FROM (\n${rowsOf(order, bind)}\n) AS clicks`,
    `LEFT JOIN (SELECT ${unnested(ids, bind)} AS "value", ${unnested(labels, bind)} AS "label") AS named`,
    `  ON "domainId" = named."value"`,
    `) TO ${quoted(path)} (${options[format]}, USE_TMP_FILE false)`,
  ].join("\n");
  return { count: { sql: count, parameters: counting.parameters }, copy: { sql: copy, parameters } };
}

/** The clicks as flat rows. Their texts are looked for among those of their workspace: others' may be many times more. */
function rowsOf({ selection }: ClickExport, bind: Bind): string {
  const own = ownedDimensions.map(
    (name) => `"${dimensionTables[name].table}"."workspaceId" = ${bind(selection.workspaceId)}`,
  );
  const facts = `(\nSELECT facts.*\nFROM facts\nWHERE ${conditions(selection, bind)}\n)`;
  return `${flatRows(facts)}\nWHERE ${own.join(" AND ")}`;
}

function texts(...names: string[]): Column[] {
  return names.map((name) => ({
    name,
    value: (format) => (format === "csv" ? safe(`"${name}"`) : `nullif("${name}", '')`),
  }));
}

/**
 * What a cell of a spreadsheet takes for a formula, the apostrophe by which it is told not to, and the wide forms that
 * some programs take for the same.
 */
const formulaStarts = ["=", "+", "-", "@", "'", "\t", "\r", "\n", "＝", "＋", "－", "＠"];

/**
 * A visitor can choose what a click says, such as utm_source, and must not be able to run a formula where the file is
 * opened. An apostrophe in front makes it text; a value that begins with one gets one too, so that who takes one
 * away from each that begins with one has the values as they were.
 */
function safe(column: string): string {
  const starts = formulaStarts.map((start) => (start < " " ? `chr(${start.charCodeAt(0)})` : quoted(start))).join(", ");
  return `CASE WHEN ${column} = '' THEN NULL WHEN left(${column}, 1) IN (${starts}) THEN '''' || ${column} ELSE ${column} END`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
