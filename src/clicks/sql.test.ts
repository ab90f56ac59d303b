import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ClickQuery } from "./query.ts";
import { compileQuery } from "./sql.ts";

/** The texts to compare with; UPDATE_GOLDEN=1 writes them anew. */
const folder = resolve(import.meta.dir, "../../tests/golden/sql");
const isUpdating = process.env.UPDATE_GOLDEN === "1";

const base = {
  workspaceId: 7,
  from: Date.UTC(2026, 10, 20),
  to: Date.UTC(2026, 10, 21),
  bots: "exclude",
  filters: [],
  grouping: { kind: "count" },
} satisfies ClickQuery;

/** TABLE of questions; each has its SQL in a file of that name. */
const questions: Record<string, ClickQuery> = {
  count: base,
  earliest: { ...base, from: 0, bots: "include", grouping: { kind: "earliest" } },
  slots: { ...base, grouping: { kind: "slots", slotMs: 900_000 } },
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
  "empty-filters": {
    ...base,
    filters: [
      { dimension: "country", values: [], isExcluded: false },
      { dimension: "trigger", values: [], isExcluded: true },
    ],
  },
};

test.each(Object.keys(questions))("the SQL of the question %s is the one kept", (name) => {
  const file = join(folder, `${name}.sql`);
  const question = questions[name] ?? base;

  const text = written(question);

  if (isUpdating) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
});

test("no SQL is kept for a question that is no longer asked", () => {
  const kept = readdirSync(folder).sort();

  expect(kept).toEqual(
    Object.keys(questions)
      .map((name) => `${name}.sql`)
      .sort(),
  );
});

test("values never stand in the SQL's text", () => {
  const value = "'; DROP TABLE clicks; --";

  const { sql, parameters } = compileQuery({
    ...base,
    filters: [{ dimension: "city", values: [value], isExcluded: true }],
  });

  expect(sql).not.toContain("DROP");
  expect(parameters).toContain(value);
});

/** The SQL, and below it the parameters as comments. */
function written(question: ClickQuery): string {
  const { sql, parameters } = compileQuery(question);
  return [sql, ...parameters.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`), ""].join("\n");
}
