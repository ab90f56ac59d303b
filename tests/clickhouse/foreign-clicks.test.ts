import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomClicks, seededRandom } from "../support/clicks.ts";
import { day, everything, neverAborted } from "../support/store-conformance/tested-store.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { openTestedStore } from "./tested-clickhouse.ts";

let clickHouse: TestClickHouse;
beforeAll(async () => {
  clickHouse = await openClickHouse();
});
afterAll(() => clickHouse.stop());

const count = { ...everything, workspaceId: 1, grouping: { kind: "count" } } as const;
const batchOf = (number: number) => ({ spoolId: "spool_a", from: 100 * number, to: 100 * number + 100 });
const clicks = randomClicks(seededRandom(1), 50, day, { workspaceId: 1 });

test.each([
  ["clicks", 0],
  ["clicks", 3],
  ["counts of expired clicks", 0],
  ["counts of expired clicks", 3],
])(
  "a ClickHouse with %s of another service gives a service with %d batches no report, and takes no click",
  async (kind, batches) => {
    let now = day.to;
    const other = await openTestedStore(clickHouse, { now: () => now });
    await other.store.insert(batchOf(0), clicks);
    if (kind !== "clicks") {
      await other.store.expire({ workspaceId: 1, before: day.to });
      now += 10 * 60_000;
      await other.store.maintain(neverAborted);
    }
    const own = await openTestedStore(clickHouse);
    for (let number = 0; number < batches; number++) await own.store.insert(batchOf(number), clicks);

    const mistaken = own.another({ url: other.url });

    const refusal = "ClickHouse has clicks of another Waypost";
    await expect(mistaken.query(count)).rejects.toThrow(refusal);
    await expect(mistaken.insert(batchOf(batches), clicks)).rejects.toThrow(refusal);
    expect(await other.store.query(count)).toMatchObject([{ clicks: 50 }]);
    for (const { remove } of [other, own]) await remove();
  },
);

test("a service whose ClickHouse was lost goes on with an empty one, and not with the former one beside it", async () => {
  const tested = await openTestedStore(clickHouse);
  const url = await clickHouse.createDatabase();
  await tested.store.insert(batchOf(0), clicks);

  const replacement = tested.another({ url });
  await replacement.insert(batchOf(1), clicks);
  const reopened = tested.another({ url });

  expect(await reopened.query(count)).toMatchObject([{ clicks: 50 }]);
  await expect((await tested.reopen()).query(count)).rejects.toThrow("ClickHouse has clicks of another Waypost");
  await tested.remove();
  await clickHouse.dropDatabase(url);
});
