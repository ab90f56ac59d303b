import type { ClickExport, ExportFormat } from "../../export.ts";
import { exportColumns, formulaStarts } from "../export-columns.ts";
import { conditions } from "./compile-query.ts";
import { type Bind, binding, type CompiledQuery, unnested } from "./sql.ts";
import { dimensionTables, flatRows, type Level, levels, ownedDimensions } from "./star-schema.ts";

/**
 * Compiles an export to SQL: the count of its clicks, and the statements that write its parts.
 *
 * 1. Every format has the same columns, with the names of the API. Unknown values are null, an empty cell in CSV.
 * 2. Values are the same in every format, except that in CSV no value can be read as a formula: see `escapeFormula`.
 * 3. DuckDB collects the rows of a join's smaller side, so one statement writes only a part of the clicks: memory does
 *    not grow with their number, even if each has another URL. A part is a range of rows of one level.
 *
 * Weakness: each part reads the surrogate keys of all texts of the workspace, 0.24 s for three million URLs. An export of a
 * hundred million clicks with a URL each would exceed exportTimeMaxMs.
 */

/** How many neighboring rows of a level are counted together, and stay together in a part. */
const countedRows = 20_480;
/**
 * The most clicks of a part. Of 400,000 clicks with a URL each, parts of 100,000 took 6.0 µs per click and 67 MB, parts
 * of 20,000 took 8.8 µs and 59 MB.
 */
const partClicksMax = 5 * countedRows;

/** A range of rows of a level, from `fromRow` to before `toRow`. */
export type ExportPart = { level: Level; fromRow: number; toRow: number };

/** Rows per Parquet row group, which are held in memory. The usual 122,880 cost about 100 MB. */
const rowGroupRows = 20_480;

type Value = (format: ExportFormat) => string;

/** TABLE of the columns that are not plain texts. */
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
const options: Record<ExportFormat, (hasHeader: boolean) => string> = {
  csv: (hasHeader) => String.raw`FORMAT csv, HEADER ${hasHeader}, NEW_LINE '\r\n'`,
  jsonl: () => "FORMAT json",
  parquet: () => `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}`,
};

/** A row of the count: the index of a level, the index of a range of `countedRows` rows, and its clicks. */
export type ExportCount = [level: number, range: number, clicks: number];

/** Compiles the count of an export's clicks to rows of ExportCount, in the order of the rows. Pure; kept as golden files. */
export function compileExportCount({ selection }: Pick<ClickExport, "selection">): CompiledQuery {
  const { parameters, bind } = binding();
  const rows = levels.map((level, index) => `SELECT ${index} AS "level", rowid AS "row", * FROM "${level}"`);
  const sql = [
    `SELECT "level", "row" // ${countedRows} AS "range", count(*)::INTEGER`,
    `FROM (\n${rows.join("\nUNION ALL ")}\n) AS facts`,
    `WHERE ${conditions(selection, bind)}`,
    "GROUP BY ALL ORDER BY ALL",
  ].join("\n");
  return { sql, parameters };
}

/** Divides the counted clicks into parts, each of at most `partClicksMax` clicks. No clicks are one empty part. */
export function exportParts(counts: readonly ExportCount[]): ExportPart[] {
  const parts: ExportPart[] = [];
  let clicksOfPart = 0;
  for (const [levelIndex, range, clicks] of counts) {
    const level = levels[levelIndex];
    if (level === undefined) throw new Error(`There is no level ${levelIndex}.`);
    const toRow = (range + 1) * countedRows;
    const part = parts.at(-1);
    if (part?.level === level && clicksOfPart + clicks <= partClicksMax) {
      part.toRow = toRow;
      clicksOfPart += clicks;
    } else {
      parts.push({ level, fromRow: range * countedRows, toRow });
      clicksOfPart = clicks;
    }
  }
  return parts.length > 0 ? parts : [{ level: levels[0], fromRow: 0, toRow: 0 }];
}

/** Compiles a part of an export into the file at `path`; a CSV file has a header if asked. Pure; kept as golden files. */
export function compileExportPart(
  request: ClickExport,
  part: ExportPart,
  { path, hasHeader }: { path: string; hasHeader: boolean },
): CompiledQuery {
  const { format, domains } = request;
  const { parameters, bind } = binding();
  const select = exportColumns.map((name) => `  ${(values[name] ?? textOf(name))(format)} AS "${name}"`).join(",\n");
  const ids = domains.map(({ value }) => value);
  const labels = domains.map(({ label }) => label);
  const sql = [
    `COPY (\nSELECT\n${select}`,
    `FROM (\n${rowsOf(request, part, bind)}\n) AS clicks`,
    `LEFT JOIN (SELECT ${unnested(ids, bind)} AS "value", ${unnested(labels, bind)} AS "label") AS named`,
    `  ON "domainId" = named."value"`,
    `) TO ${quoted(path)} (${options[format](hasHeader)}, USE_TMP_FILE false)`,
  ].join("\n");
  return { sql, parameters };
}

/**
 * Compiles one Parquet file from those of all parts. Its rows are written as they are read. Folders of the path that are
 * named `name=value` are not columns.
 */
export function compileParquetExport(partPaths: readonly string[], path: string): CompiledQuery {
  const source = `read_parquet([${partPaths.map(quoted).join(", ")}], hive_partitioning = false)`;
  return {
    sql: `COPY (FROM ${source}) TO ${quoted(path)} (${options.parquet(true)}, USE_TMP_FILE false)`,
    parameters: [],
  };
}

/**
 * The clicks of a part as flat rows. The dimension tables are filtered by workspace, because other workspaces may have
 * far more texts.
 */
function rowsOf({ selection }: ClickExport, { level, fromRow, toRow }: ExportPart, bind: Bind): string {
  const own = ownedDimensions.map(
    (name) => `"${dimensionTables[name].table}"."workspaceId" = ${bind(selection.workspaceId)}`,
  );
  const isInPart = `rowid >= ${bind(fromRow)} AND rowid < ${bind(toRow)}`;
  const facts = `(\nSELECT facts.*\nFROM "${level}" AS facts\nWHERE ${isInPart}\n  AND ${conditions(selection, bind)}\n)`;
  return `${flatRows(facts)}\nWHERE ${own.join(" AND ")}`;
}

function textOf(name: string): Value {
  return (format) => (format === "csv" ? escapeFormula(`"${name}"`) : `nullif("${name}", '')`);
}

/**
 * A text with an apostrophe before what a spreadsheet would read as a formula; see formulaStarts. DuckDB would compare
 * with a list by a join, which takes twice the time of an export in all.
 */
function escapeFormula(column: string): string {
  const starts = formulaStarts.map((start) => (start < " " ? `chr(${start.charCodeAt(0)})` : quoted(start)));
  const isFormula = `strpos(${starts.join(" || ")}, left(${column}, 1)) > 0`;
  return `CASE WHEN ${column} = '' THEN NULL WHEN ${isFormula} THEN '''' || ${column} ELSE ${column} END`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
