import { expect, test } from "bun:test";
import { minuteMs, secondMs } from "../../src/base/time.ts";
import { randomClick, seededRandom } from "../support/clicks.ts";
import { day } from "../support/store-conformance/tested-store.ts";
import { openClickHouse } from "./clickhouse.ts";
import { openTestedStore } from "./tested-clickhouse.ts";

test("a first click that another node stores, or erases, is known after ten seconds at most", async () => {
  const clickHouse = await openClickHouse();
  let now = day.to;
  const tested = await openTestedStore(clickHouse, { now: () => now });
  const { store } = tested;
  const other = tested.another();
  const random = seededRandom(20261129);
  const query = { workspaceId: 1, before: day.to };
  const firstAfter = async (ms: number) => {
    now += ms;
    return await store.firstClick(query);
  };

  const firsts = [await firstAfter(0)];
  await other.insert({ spoolId: "spool_other", from: 0, to: 1 }, [
    randomClick(random, day, { workspaceId: 1, time: day.from + minuteMs }),
  ]);
  firsts.push(await firstAfter(10 * secondMs));
  await other.erase({ workspaceId: 1 });
  firsts.push(await firstAfter(10 * secondMs));

  expect(firsts).toEqual([undefined, day.from, undefined]);
  await tested.remove();
  await clickHouse.stop();
}, 60_000);
