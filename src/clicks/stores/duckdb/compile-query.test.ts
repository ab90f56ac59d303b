import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ClickPage, ClickQuery } from "../../query.ts";
import { compileAppendedSince } from "./appended-since.ts";
import { compileQuery } from "./compile-query.ts";
import { compileFirstClick } from "./first-click-cache.ts";
import { compileBuckets, compilePageFacts } from "./read-page.ts";
import { type CompiledQuery, inlineValuesMax } from "./sql.ts";
import { compileVisitorPartitions } from "./visitor-partitions.ts";

/** The golden files; UPDATE_GOLDEN=1 rewrites them. */
const folder = resolve(import.meta.dir, "../../../../tests/golden/sql");
const isUpdating = process.env.UPDATE_GOLDEN === "1";

const base = {
  workspaceId: 7,
  from: Date.UTC(2026, 10, 20),
  to: Date.UTC(2026, 10, 21),
  bots: "exclude",
  filters: [],
  grouping: { kind: "count" },
} satisfies ClickQuery;

/** TABLE of queries. Each has a golden file of its name. */
const questions: Record<string, ClickQuery> = {
  count: base,
  intervals: { ...base, grouping: { kind: "intervals", intervalMs: 900_000 } },
  dimension: { ...base, grouping: { kind: "dimension", dimension: "referer", rowsMax: 5_001 } },
  "bots-include": { ...base, bots: "include" },
  "bots-only": { ...base, bots: "only" },
  filters: {
    ...base,
    filters: [
      { dimension: "linkId", values: ["link_a"], isExcluded: false },
      { dimension: "country", values: ["US", "CA"], isExcluded: true },
      { dimension: "utm_source", values: ["'; DROP TABLE clicks; --", ""], isExcluded: false },
    ],
    grouping: { kind: "dimension", dimension: "os", rowsMax: 10 },
  },
  visitors: { ...base, metric: "visitors", grouping: { kind: "dimension", dimension: "url", rowsMax: 5_000 } },
  buckets: { ...base, metric: "visitors", grouping: { kind: "buckets", starts: [1_000, 2_000, 3_000, 4_000] } },
  "week-hours": {
    ...base,
    ...{ metric: "visitors", filters: [{ dimension: "country", values: ["DE"], isExcluded: false }] },
    grouping: {
      kind: "weekHours",
      offsets: [
        { from: 1_000, offsetMs: 7_200_000 },
        { from: 2_000, offsetMs: 3_600_000 },
        { from: 3_000, offsetMs: -20_700_000 },
      ],
    },
  },
  within: {
    ...base,
    grouping: { kind: "dimension", dimension: "city", within: ["region", "country"], rowsMax: 5_000 },
  },
  "referer-group": {
    ...base,
    filters: [{ dimension: "channel", values: ["social", "search"], isExcluded: false }],
    grouping: { kind: "dimension", dimension: "refererGroup", rowsMax: 5_001 },
  },
  "base-url": { ...base, grouping: { kind: "dimension", dimension: "baseUrl", rowsMax: 5_000 } },
  labels: {
    ...base,
    grouping: {
      ...{ kind: "labels", dimension: "linkId", rowsMax: 5_000 },
      labels: [
        { value: "link_a", label: "fold_a" },
        { value: "link_b", label: "fold_a" },
      ],
    },
  },
  "many-values": {
    ...base,
    filters: [
      {
        ...{ dimension: "linkId", isExcluded: true },
        values: Array.from({ length: inlineValuesMax + 1 }, (_, index) => `link_${index}`),
      },
    ],
  },
  "empty-filters": {
    ...base,
    filters: [
      { dimension: "country", values: [], isExcluded: false },
      { dimension: "trigger", values: [], isExcluded: true },
    ],
  },
};

const page: ClickPage = { ...base, order: "newestFirst", offset: 100, limit: 50 };

/** TABLE of pages of clicks. Each has a golden file of its name. */
const pages: Record<string, ClickPage> = {
  "page-newest": page,
  "page-oldest": {
    ...page,
    ...{ order: "oldestFirst", bots: "include" },
    filters: [{ dimension: "country", values: ["DE"], isExcluded: false }],
  },
};

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
  ...Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, compilePageFacts(page)])),
  "page-buckets": compileBuckets(page, 337_500),
  "first-click": compileFirstClick(7),
  "appended-since": compileAppendedSince({
    selection: { ...base, filters: [{ dimension: "country", values: ["DE"], isExcluded: false }] },
    range: { spoolId: "0f8fad5bd9cb469fa16570867728950e", from: 64, to: 4_096 },
    limit: 100,
  }),
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

test.each(Object.keys(written))("the SQL of the query %s matches its golden file", (name) => {
  const file = join(folder, `${name}.sql`);

  const text = written[name] ?? "";

  if (isUpdating) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
});

test("every golden file has a query", () => {
  const goldenFiles = readdirSync(folder).sort();

  expect(goldenFiles).toEqual(
    Object.keys(written)
      .map((name) => `${name}.sql`)
      .sort(),
  );
});

test("texts are never part of the SQL itself", () => {
  const value = "'; DROP TABLE clicks; --";

  const { sql, parameters } = compileQuery(
    {
      ...base,
      filters: [{ dimension: "city", values: [value], isExcluded: true }],
    },
    { hasExpired: false },
  );

  expect(sql).not.toContain("DROP");
  expect(parameters).toContain(value);
});

/** The SQL, followed by the parameters as comments. */
function writtenOf({ sql, parameters }: CompiledQuery): string {
  return [sql, ...parameters.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`), ""].join("\n");
}
