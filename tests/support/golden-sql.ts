import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ClickExport } from "../../src/clicks/export.ts";
import type { ClickPage, ClickQuery } from "../../src/clicks/query.ts";
import type { AppendedSince } from "../../src/clicks/store.ts";

/** The selection of the questions: a day of a workspace. */
export const base = {
  workspaceId: 7,
  from: Date.UTC(2026, 10, 20),
  to: Date.UTC(2026, 10, 21),
  bots: "exclude",
  filters: [],
  grouping: { kind: "count" },
} satisfies ClickQuery;

/** TABLE of queries. Each has a golden file of its name, for each engine. */
export const questions: Record<string, ClickQuery> = {
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
        values: Array.from({ length: 101 }, (_, index) => `link_${index}`),
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

/** A page of clicks. */
export const page: ClickPage = { ...base, order: "newestFirst", offset: 100, limit: 50 };

/** TABLE of pages of clicks. Each has a golden file of its name, for each engine. */
export const pages: Record<string, ClickPage> = {
  "page-newest": page,
  "page-oldest": {
    ...page,
    ...{ order: "oldestFirst", bots: "include" },
    filters: [{ dimension: "country", values: ["DE"], isExcluded: false }],
  },
};

/** Clicks that were appended to a spool in a range. */
export const appended: AppendedSince = {
  selection: { ...base, filters: [{ dimension: "country", values: ["DE"], isExcluded: false }] },
  range: { spoolId: "0f8fad5bd9cb469fa16570867728950e", from: 64, to: 4_096 },
  limit: 100,
};

/** A text of a visitor that must never be a part of SQL. */
export const hostileText = "'; DROP TABLE clicks; --";

/** An export, except for its format. */
export const exported: Omit<ClickExport, "format"> = {
  domains: [{ value: "dom_a", label: "go.example.com" }],
  selection: {
    ...base,
    filters: [
      { dimension: "country", values: ["US", "CA"], isExcluded: true },
      { dimension: "utm_source", values: [hostileText, ""], isExcluded: false },
      { dimension: "city", values: [], isExcluded: false },
    ],
  },
};

const isUpdating = process.env.UPDATE_GOLDEN === "1";

/** Tests that the texts are those of golden files in a folder of tests/golden. UPDATE_GOLDEN=1 rewrites the files. */
export function testGoldenSql(name: string, written: Readonly<Record<string, string>>): void {
  const folder = resolve(import.meta.dir, "../golden", name);

  test.each(Object.keys(written))("the SQL of %s matches its golden file", (name) => {
    const file = resolve(folder, `${name}.sql`);
    const text = written[name] ?? "";
    if (isUpdating) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, text);
    }

    expect(text).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
  });

  test("every golden file has a text", () => {
    const expected = Object.keys(written).map((name) => `${name}.sql`);

    expect(readdirSync(folder).sort()).toEqual(expected.sort());
  });
}
