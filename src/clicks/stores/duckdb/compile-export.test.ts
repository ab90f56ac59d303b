import { expect, test } from "bun:test";
import { exported, hostileText, testGoldenSql } from "../../../../tests/support/golden-sql.ts";
import { exportFormats } from "../../export.ts";
import { compileExportCount, compileExportPart, compileParquetExport, exportParts } from "./compile-export.ts";

const part = { level: "recent", fromRow: 20_480, toRow: 122_880 } as const;
const file = { path: "exports/it's one", hasHeader: true };
const compiled = exportFormats.map((format) => {
  const statements = [compileExportCount(exported), compileExportPart({ ...exported, format }, part, file)];
  if (format === "parquet") statements.push(compileParquetExport(["part-0", "part-1"], file.path));
  return { format, statements };
});

testGoldenSql(
  "export-sql",
  Object.fromEntries(
    compiled.map(({ format, statements }) => [
      format,
      statements.map(({ sql, parameters }) => `${sql};\n-- ${JSON.stringify(parameters)}\n`).join("\n"),
    ]),
  ),
);

test("texts are never part of the SQL of an export", () => {
  const sql = compiled.flatMap(({ statements }) => statements.map(({ sql }) => sql)).join();

  expect(sql).not.toContain(hostileText);
});

test("parts follow each other in each level, and hold at most 102,400 clicks", () => {
  const parts = exportParts([
    [0, 0, 100],
    [1, 2, 20_480],
    [1, 3, 20_480],
    [1, 5, 20_480],
    [1, 6, 20_480],
    [1, 7, 20_480],
    [1, 9, 1],
    [2, 0, 20_480],
  ]);

  expect(parts).toEqual([
    { level: "fresh", fromRow: 0, toRow: 20_480 },
    { level: "recent", fromRow: 40_960, toRow: 163_840 },
    { level: "recent", fromRow: 184_320, toRow: 204_800 },
    { level: "settled", fromRow: 0, toRow: 20_480 },
  ]);
});

test("an export without clicks is one empty part", () => {
  expect(exportParts([])).toEqual([{ level: "fresh", fromRow: 0, toRow: 0 }]);
});
