import { expect, test } from "bun:test";
import { problemOf } from "../../tests/support/problem-of.ts";
import { LinkQueries } from "./link-queries.ts";

test("the query of a workspace does not wait for the waiting ones of another workspace", async () => {
  const queries = new LinkQueries();
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
  const queries = new LinkQueries();
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = Array.from({ length: 101 }, () => queries.run(1, () => promise));

  const refused = await problemOf(queries.run(1, async () => "list"));
  const other = await queries.run(2, async () => "list");
  resolve();
  await Promise.all(running);

  expect([refused?.code, other]).toEqual(["rate_limit_exceeded", "list"]);
});
