import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines, testDatabase } from "../../tests/support/databases.ts";
import { openAround } from "../../tests/support/open-around.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { LinkQueries } from "./link-queries.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openAround(() => testDatabase(engine));
    const open = () => new LinkQueries(world().database);

    test("the query of a workspace does not wait for the waiting ones of another workspace", async () => {
      const queries = open();
      const { promise, resolve } = Promise.withResolvers<void>();
      const finished: string[] = [];
      const flood = Array.from({ length: 40 }, (_, index) =>
        queries.run(1, async () => {
          await promise;
          finished.push(`flood ${index}`);
        }),
      );

      await queries.run(2, async () => finished.push("list"));
      resolve();
      await Promise.all(flood);

      expect(finished.slice(0, 2)).toEqual(["list", "flood 0"]);
      expect(finished).toHaveLength(41);
    });

    test("a workspace with a hundred waiting queries is refused, and another one is not", async () => {
      const queries = open();
      const { promise, resolve } = Promise.withResolvers<void>();
      const running = Array.from({ length: 101 }, () => queries.run(1, () => promise));

      const refused = await problemOf(queries.run(1, async () => "list"));
      const other = await queries.run(2, async () => "list");
      resolve();
      await Promise.all(running);

      expect([refused?.code, other]).toEqual(["rate_limit_exceeded", "list"]);
    });

    test("a workspace with short queries does not wait for the query of one with slow queries", async () => {
      const queries = open();
      const finished: string[] = [];
      const slow = () =>
        queries.run(1, async (db) => {
          await sql`
            with recursive "numbers" ("number") as (select 1 union all select "number" + 1 from "numbers" where "number" < 3000000)
            select count(*) from "numbers"`.execute(db);
          finished.push("slow");
        });
      // From then on, this workspace is known to be slow.
      await slow();

      const second = slow();
      await queries.run(2, async (db) => {
        for (let step = 0; step < 5; step++) await sql`select 1`.execute(db);
        finished.push("short");
      });
      await second;

      expect(finished).toEqual(["slow", "short", "slow"]);
    });
  });
}
