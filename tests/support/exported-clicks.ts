import { DuckDBInstance } from "@duckdb/node-api";
import { z } from "zod";
import type { Click } from "../../src/clicks/click.ts";
import type { ExportFormat } from "../../src/clicks/export.ts";
import { exportColumns } from "../../src/clicks/stores/export-columns.ts";

/** A click as in an export: values by column, null for missing ones. */
export type ExportedClick = Record<string, string | boolean | null>;

const Cells = z.array(z.record(z.string(), z.string().nullable()));
const Row = z.record(z.string(), z.union([z.string(), z.boolean(), z.null()]));

/** The types of the columns of a Parquet file, as DuckDB reads them. */
export const parquetTypes: Record<string, string> = {
  ...Object.fromEntries(exportColumns.map((name) => [name, "VARCHAR"])),
  ...{ id: "UUID", timestamp: "TIMESTAMP WITH TIME ZONE", qr: "BOOLEAN" },
};

/** The clicks in an export file, ordered by id. DuckDB reads CSV and Parquet; JSON is read line by line. */
export async function readExport(format: ExportFormat, path: string): Promise<ExportedClick[]> {
  return (await readRows(format, path)).map((row) => Row.parse(row)).sort(byId);
}

async function readRows(format: ExportFormat, path: string): Promise<unknown[]> {
  switch (format) {
    case "csv":
      return (await readCells(path)).map(asWritten);
    case "jsonl":
      // Every line has a line end, the last one too.
      return (await Bun.file(path).text())
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    case "parquet":
      return await ask(
        `SELECT * REPLACE ("id"::VARCHAR AS "id", strftime("timestamp" AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ') AS "timestamp")
         FROM read_parquet(${quoted(path)})`,
      );
  }
}

/** The cells of a CSV file, as a spreadsheet reads them. */
export async function readCells(path: string): Promise<Record<string, string | null>[]> {
  const options = `all_varchar = true, header = true, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n'`;
  return Cells.parse(await ask(`SELECT * FROM read_csv(${quoted(path)}, ${options})`));
}

/** DuckDB's functions that read the formats. */
const readers: Record<ExportFormat, string> = { csv: "read_csv", jsonl: "read_json", parquet: "read_parquet" };

/** Counts the different URLs in an export file. */
export async function countUrls(format: ExportFormat, path: string): Promise<number> {
  const rows = await ask(`SELECT count(DISTINCT "url")::INTEGER AS "urls" FROM ${readers[format]}(${quoted(path)})`);
  return z.object({ urls: z.number() }).parse(rows[0]).urls;
}

/** The columns of an export file, in its order. */
export async function columnsOf(format: ExportFormat, path: string): Promise<string[]> {
  const rows = await ask(`DESCRIBE SELECT * FROM ${readers[format]}(${quoted(path)}, hive_partitioning = false)`);
  return rows.map((row) => String(row["column_name"]));
}

/** Removes the apostrophe that precedes a value that looks like a formula. */
function asWritten(cells: Record<string, string | null>): ExportedClick {
  const texts = Object.entries(cells).map(([name, cell]) => [name, cell?.startsWith("'") ? cell.slice(1) : cell]);
  return { ...Object.fromEntries(texts), qr: cells["qr"] === "true" };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}

/** The columns of a Parquet file and their types, as DuckDB sees them. */
export async function typesOf(path: string): Promise<Record<string, string>> {
  const rows = await ask(`DESCRIBE SELECT * FROM read_parquet(${quoted(path)})`);
  return Object.fromEntries(rows.map((row) => [String(row["column_name"]), String(row["column_type"])]));
}

async function ask(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The rows that an export must have for clicks; `domains` are the current names of domains by id. */
export function asExported(
  clicks: readonly Click[],
  domains: ReadonlyMap<string, string> = new Map(),
): ExportedClick[] {
  return clicks
    .map((click) => {
      const { time, workspaceId: _, domainId, domain, ...texts } = click;
      const known = Object.entries(texts).map(([name, value]) => [name, value === "" ? null : value]);
      return {
        ...Object.fromEntries(known),
        timestamp: new Date(time).toISOString(),
        domain: domains.get(domainId) ?? domain,
        qr: click.trigger === "qr",
      };
    })
    .sort(byId);
}

function byId(one: ExportedClick, other: ExportedClick): number {
  return String(one["id"]) < String(other["id"]) ? -1 : 1;
}
