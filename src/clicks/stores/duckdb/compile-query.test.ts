import { expect, test } from "bun:test";
import {
  appended,
  base,
  hostileText,
  page,
  pages,
  questions,
  testGoldenSql,
} from "../../../../tests/support/golden-sql.ts";
import type { ClickQuery } from "../../query.ts";
import { compileAppendedSince } from "./appended-since.ts";
import { compileQuery } from "./compile-query.ts";
import { compileFirstClick } from "./first-click-cache.ts";
import { compileBuckets, compilePageFacts } from "./read-page.ts";
import type { CompiledQuery } from "./sql.ts";
import { compileVisitorPartitions } from "./visitor-partitions.ts";

const compiled: Record<string, CompiledQuery> = {
  ...Object.fromEntries(
    Object.entries(questions).map(([name, question]) => [name, compileQuery(question, { hasExpired: false })]),
  ),
  "links-by-number": compileQuery(
    { ...base, filters: [{ dimension: "linkId", values: ["link_a", "link_b"], isExcluded: false }] },
    {
      hasExpired: false,
      keys: new Map([
        ["link_a", [3, 14]],
        ["link_b", [15]],
      ]),
    },
  ),
  "few-texts": compileQuery(
    { ...base, grouping: { kind: "dimension", dimension: "baseUrl", rowsMax: 5_000 } },
    { hasExpired: false, hasFewTexts: true },
  ),
  ...Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, compilePageFacts(page)])),
  "page-buckets": compileBuckets(page, 337_500),
  "first-click": compileFirstClick(7),
  "appended-since": compileAppendedSince(appended),
};

/** TABLE of queries for visitors that are counted in partitions. Each has a golden file of its name. */
const inParts: Record<string, ClickQuery> = {
  "visitors-in-parts": { ...base, metric: "visitors", grouping: { kind: "intervals", intervalMs: 900_000 } },
  "visitors-in-parts-by-text": {
    ...{ ...base, metric: "visitors" },
    grouping: { kind: "dimension", dimension: "city", within: ["region", "country"], rowsMax: 5_000 },
  },
  "visitors-in-parts-by-label": {
    ...{ ...base, metric: "visitors" },
    filters: [{ dimension: "country", values: ["DE"], isExcluded: false }],
    grouping: {
      ...{ kind: "labels", dimension: "linkId", rowsMax: 5_000 },
      labels: [{ value: "link_a", label: "tag_a" }],
    },
  },
};

const written = {
  ...Object.fromEntries(Object.entries(compiled).map(([name, one]) => [name, writtenOf(one)])),
  ...Object.fromEntries(
    Object.entries(inParts).map(([name, question]) => {
      const { steps, answer } = compileVisitorPartitions(question, { partitionCount: 2 });
      return [name, [...steps, answer].map(writtenOf).join("\n")];
    }),
  ),
};

testGoldenSql("sql", written);

test("texts are never part of the SQL itself", () => {
  const { sql, parameters } = compileQuery(
    {
      ...base,
      filters: [{ dimension: "city", values: [hostileText], isExcluded: true }],
    },
    { hasExpired: false },
  );

  expect(sql).not.toContain("DROP");
  expect(parameters).toContain(hostileText);
});

/** The SQL, followed by the parameters as comments. */
function writtenOf({ sql, parameters }: CompiledQuery): string {
  return [sql, ...parameters.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`), ""].join("\n");
}
