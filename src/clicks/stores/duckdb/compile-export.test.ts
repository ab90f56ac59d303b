import { expect, test } from "bun:test";
import { exported, hostileText, testGoldenSql } from "../../../../tests/support/golden-sql.ts";
import { exportFormats } from "../../export.ts";
import { compileExport } from "./compile-export.ts";

const compiled = exportFormats.map((format) => {
  const { count, copy } = compileExport({ ...exported, format }, "exports/it's one");
  return { format, statements: [count, copy] };
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
