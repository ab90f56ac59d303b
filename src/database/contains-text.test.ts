import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines, testDatabase } from "../../tests/support/databases.ts";
import { openAround } from "../../tests/support/open-around.ts";
import { containsText } from "./contains-text.ts";

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
  });
}
