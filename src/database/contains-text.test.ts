import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines, testDatabase } from "../../tests/support/databases.ts";
import { openAround } from "../../tests/support/open-around.ts";
import { containsText } from "./contains-text.ts";

/** LIKE takes SQLite a millisecond for each of these texts on an idle machine, and this function a microsecond. */
const textsCompared = 1_000;
const msMax = 250;
const rounds = 3;

for (const engine of engines) {
  describe(engine, () => {
    const world = openAround(() => testDatabase(engine));

    test.each([
      ["a_b", "a_", true],
      ["axb", "a_", false],
      ["50%", "0%", true],
      ["500", "0%", false],
      ["a\\b", "\\", true],
      ["Straße", "aß", true],
      ["abc", "B", false],
    ])("%s contains %s: %p", async (text, part, isInside) => {
      const { rows } = await sql<{ text: string }>`
        select "text" from (select cast(${text} as text) as "text") as "texts"
        where ${containsText(engine, `"text"`, part)}`.execute(world().database.db);

      expect(rows).toEqual(isInside ? [{ text }] : []);
    });

    test("a text that nearly occurs at every position is looked for in milliseconds", async () => {
      const near = `${"a".repeat(499)}b`.repeat(4);
      const part = `${"a".repeat(500)}b`;
      const query = sql`
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(textsCompared)})
        select count(*) from numbers
        where ${containsText(engine, `('${near}' || cast(n as text))`, part)}`;

      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now();
        await query.execute(world().database.db);
        times.push(performance.now() - startedAt);
      }

      expect(Math.min(...times)).toBeLessThan(msMax);
    });
  });
}
