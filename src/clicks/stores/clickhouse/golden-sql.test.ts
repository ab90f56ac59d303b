import { expect, test } from "bun:test";
import {
  appended,
  base,
  exported,
  hostileText,
  pages,
  questions,
  testGoldenSql,
} from "../../../../tests/support/golden-sql.ts";
import { exportFormats } from "../../export.ts";
import { compileExport } from "./compile-export.ts";
import { compileQuery } from "./compile-query.ts";
import {
  compileAppendedSince,
  compileFirstClick,
  compileLastClicks,
  compileLinkCounts,
  compilePage,
} from "./compile-reads.ts";
import type { Expiry } from "./expiries.ts";
import { addProjections } from "./projections.ts";
import { createTables } from "./schema.ts";
import type { Statement } from "./sql.ts";

const none: Expiry = { version: 0, generation: 0, planned: undefined, hidden: [] };
const expired: Expiry = {
  ...{ version: 2, generation: 1, planned: undefined },
  hidden: [{ before: Date.UTC(2026, 9, 1), upTo: 41, since: Date.UTC(2026, 10, 1) }],
};
/** From within a month, through two whole ones, to within another. */
const months = { from: Date.UTC(2026, 7, 20, 5, 30), to: Date.UTC(2026, 10, 2) };
const snapshot = { cursors: {}, newest: 50, open: [44, 47] };

const statements: Record<string, Statement> = {
  ...Object.fromEntries(Object.entries(questions).map(([name, question]) => [name, compileQuery(question, none)])),
  "visitors-of-countries": compileQuery(
    { ...base, grouping: { kind: "dimension", dimension: "country", rowsMax: 10 }, metric: "visitors" },
    none,
  ),
  "visitors-of-languages": compileQuery(
    { ...base, grouping: { kind: "dimension", dimension: "language", rowsMax: 10 }, metric: "visitors" },
    none,
  ),
  "visitors-of-labels": compileQuery({ ...(questions["labels"] ?? base), metric: "visitors" }, none),
  "after-an-expiry": compileQuery({ ...base, grouping: { kind: "dimension", dimension: "key", rowsMax: 10 } }, expired),
  "months-of-cities": compileQuery({ ...(questions["within"] ?? base), ...months }, none),
  "months-of-labels": compileQuery({ ...(questions["labels"] ?? base), ...months }, none),
  "months-after-an-expiry": compileQuery(
    { ...base, ...months, grouping: { kind: "dimension", dimension: "linkId", rowsMax: 10 } },
    expired,
  ),
  "hours-of-the-week": compileQuery(
    { ...base, ...months, grouping: { kind: "weekHours", offsets: [{ from: 0, offsetMs: 7_200_000 }] } },
    none,
  ),
  "after-an-expiry-by-country": compileQuery(questions["filters"] ?? base, expired),
  ...Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, compilePage(page, none)])),
  "first-click": compileFirstClick({ workspaceId: 7, before: Date.UTC(2026, 0) }, expired),
  "last-clicks": compileLastClicks({ workspaceId: 7, linkIds: ["link_a", "link_b"] }, expired),
  "appended-since": compileAppendedSince(appended, none, undefined),
  "appended-since-in-batches": compileAppendedSince(appended, none, { lowest: 30, highest: 34 }),
  "link-counts": compileLinkCounts({ workspaceId: 7, after: "link_a", limit: 100 }, expired, snapshot),
  ...Object.fromEntries(
    exportFormats.map((format) => [`export-${format}`, compileExport({ ...exported, format }, expired, snapshot).rows]),
  ),
  "export-count": compileExport({ ...exported, format: "csv" }, expired, snapshot).count,
};

testGoldenSql("clickhouse-sql", {
  ...Object.fromEntries(Object.entries(statements).map(([name, statement]) => [name, writtenOf(statement)])),
  "tables-on-one-server": tablesOf({}),
  "tables-on-a-cluster": tablesOf({ cluster: "way`post" }),
});

test("texts and numbers of a question are never part of the SQL itself", () => {
  const all = Object.values(statements);

  expect(all.filter(({ sql }) => sql.includes(hostileText) || sql.includes(String(base.from)))).toEqual([]);
  expect(all.filter(({ parameters }) => JSON.stringify(parameters).includes(hostileText)).length).toBeGreaterThan(0);
});

/** The SQL, followed by the parameters as comments. */
function writtenOf({ sql, parameters }: Statement): string {
  const values = Object.entries(parameters).map(([name, value]) => `-- ${name} = ${JSON.stringify(value)}`);
  return [sql, ...values, ""].join("\n");
}

function tablesOf(topology: { cluster?: string }): string {
  return [...createTables(topology), ...addProjections(topology)].map((sql) => `${sql};\n`).join("\n");
}
