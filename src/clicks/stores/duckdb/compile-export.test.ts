import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ClickExport, exportFormats } from "../../export.ts";
import { compileExport } from "./compile-export.ts";

/** The golden files; UPDATE_GOLDEN=1 rewrites them. */
const folder = resolve(import.meta.dir, "../../../../tests/golden/export-sql");
const isUpdating = process.env.UPDATE_GOLDEN === "1";

test.each([...exportFormats])("the SQL of an export as %s matches its golden file", (format) => {
  const file = join(folder, `${format}.sql`);
  const value = "'; DROP TABLE clicks; --";

  const request: ClickExport = {
    format,
    domains: [{ value: "dom_a", label: "go.example.com" }],
    selection: {
      ...{ workspaceId: 7, from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21), bots: "exclude" },
      filters: [
        { dimension: "country", values: ["US", "CA"], isExcluded: true },
        { dimension: "utm_source", values: [value, ""], isExcluded: false },
        { dimension: "city", values: [], isExcluded: false },
      ],
    },
  };
  const { count, copy } = compileExport(request, "exports/it's one");

  const text = `${[count, copy].map(({ sql, parameters }) => `${sql};\n-- ${JSON.stringify(parameters)}\n`).join("\n")}`;
  if (isUpdating) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
  expect(count.sql + copy.sql).not.toContain(value);
});
