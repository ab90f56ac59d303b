import { expect, test } from "bun:test";
import { FewTexts } from "./few-texts.ts";
import type { DimensionKeys } from "./fingerprints.ts";

const byUrl: DimensionKeys = { kind: "dimension", dimension: "url", rowsMax: 10 };
const byReferrer: DimensionKeys = { kind: "dimension", dimension: "referer", rowsMax: 10 };

/** A read function that finds a number of rows, and the statements that it got. */
function reading(rows: number) {
  const statements: string[] = [];
  const read = async ({ sql }: { sql: string }) => {
    statements.push(sql);
    return [{ rows: BigInt(rows) }];
  };
  return { statements, read };
}

test("a table is counted once, and each added row of the workspace counts", async () => {
  const few = new FewTexts();
  const { statements, read } = reading(3);
  const allow = () => few.allow({ workspaceId: 1, keys: byUrl, max: 4 }, read);
  const answers = [await allow()];

  few.add("url", [[1, "https://example.com/a"]]);
  few.add("url", [[2, "https://example.com/b"]]);
  few.add("link", [[1, "link_a"]]);
  answers.push(await allow());
  few.add("url", [[1, "https://example.com/c"]]);
  answers.push(await allow());

  expect({ answers, counts: statements.length }).toEqual({ answers: [true, true, false], counts: 1 });
});

test("rows that are added while a table is counted are not missing", async () => {
  const few = new FewTexts();
  const { read } = reading(3);
  const allowed = few.allow({ workspaceId: 1, keys: byUrl, max: 3 }, async (query) => {
    few.add("url", [[1, "https://example.com/a"]]);
    return await read(query);
  });

  expect(await allowed).toBe(false);
});

test("a table that all workspaces share is counted whole", async () => {
  const few = new FewTexts();
  const { statements, read } = reading(3);
  await few.allow({ workspaceId: 1, keys: byReferrer, max: 4 }, read);
  few.add("referrer", [
    ["example.com", "https://example.com/"],
    ["example.org", "https://example.org/"],
  ]);

  expect(await few.allow({ workspaceId: 2, keys: byReferrer, max: 4 }, read)).toBe(false);
  expect(statements).toEqual(['SELECT count(*) AS "rows" FROM "referrers"']);
});

test("after a count that failed, rows that were added before the next one count once", async () => {
  const few = new FewTexts();
  const allow = (read: Parameters<typeof few.allow>[1]) => few.allow({ workspaceId: 1, keys: byUrl, max: 4 }, read);
  await expect(allow(() => Promise.reject(new Error("interrupted")))).rejects.toThrow("interrupted");

  few.add("url", [[1, "https://example.com/a"]]);

  expect(await allow(reading(4).read)).toBe(true);
});

test("groupings by codes alone, or by texts of two tables, are not allowed", async () => {
  const few = new FewTexts();
  const { statements, read } = reading(0);
  const groupings: DimensionKeys[] = [
    { ...byUrl, dimension: "bot" },
    { ...byUrl, within: ["refererUrl"] },
  ];

  for (const keys of groupings) expect(await few.allow({ workspaceId: 1, keys, max: 4 }, read)).toBe(false);
  expect(statements).toEqual([]);
});

test("after a removal, tables are counted again", async () => {
  const few = new FewTexts();
  await few.allow({ workspaceId: 1, keys: byUrl, max: 4 }, reading(5).read);

  few.forget();

  expect(await few.allow({ workspaceId: 1, keys: byUrl, max: 4 }, reading(2).read)).toBe(true);
});
