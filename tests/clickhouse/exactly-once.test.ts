import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createClient } from "@clickhouse/client";
import { dayMs, hourMs } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import { clickColumns, clickValues } from "../../src/clicks/stores/clickhouse/rows.ts";
import { abandonSpool } from "../../src/nodes/abandon-spool.ts";
import { reportNode } from "../../src/nodes/report-node.ts";
import { expectedClickRows, randomClicks, seededRandom } from "../support/clicks.ts";
import { eventually } from "../support/server.ts";
import { day, everything, neverAborted } from "../support/store-conformance/tested-store.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";
import { type OwnClickHouse, startClickHouse } from "./clickhouse.ts";
import { openTestedStore, type TestedClickHouseStore } from "./tested-clickhouse.ts";

const batch = { spoolId: "spool_a", from: 0, to: 100 };
const next = { spoolId: "spool_a", from: 100, to: 200 };
const rows = randomClicks(seededRandom(1), 500, day, { workspaceId: 1 });
const later = randomClicks(seededRandom(2), 300, day, { workspaceId: 1 });
const others = randomClicks(seededRandom(5), 100, day, { workspaceId: 2 });
/** Two months, so a batch is two inserts. */
const months = [
  ...randomClicks(seededRandom(3), 200, { from: Date.UTC(2026, 9, 31), to: Date.UTC(2026, 10, 1) }, { workspaceId: 1 }),
  ...randomClicks(seededRandom(4), 200, { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2) }, { workspaceId: 1 }),
];

let clickHouse: OwnClickHouse;
let tested: TestedClickHouseStore;
let now = day.to;
beforeAll(async () => {
  clickHouse = await startClickHouse();
});
afterAll(() => clickHouse.stop());
beforeEach(async () => {
  now = day.to;
  tested = await openTestedStore(clickHouse, { now: () => now });
});
afterEach(() => tested.remove());

async function counted(store: ClickStore, workspaceId = 1): Promise<number> {
  const [row] = await store.query({ ...everything, workspaceId, grouping: { kind: "count" } });
  return row?.clicks ?? Number.NaN;
}

async function failed(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => false,
    () => true,
  );
}

describe("a batch is counted once", () => {
  const faults = ["refuse", "dropAnswer", "executeTwice"] as const;
  for (const kind of faults) {
    test(`when ClickHouse has the fault "${kind}" during its insert, and the insert is repeated`, async () => {
      const { store } = tested;
      await store.insert(batch, rows);
      await clickHouse.arm({ kind, statement: "INSERT INTO clicks" });

      const hasFailed = await failed(store.insert(next, later));
      const [cursor, open] = [await store.cursor("spool_a"), await store.openBatch("spool_a")];
      await store.insert(next, later);

      expect(hasFailed).toBe(kind !== "executeTwice");
      expect([cursor, open]).toEqual(hasFailed ? [100, next] : [200, undefined]);
      expect([await counted(store), await store.cursor("spool_a"), await store.openBatch("spool_a")]).toEqual([
        ...[rows.length + later.length, 200, undefined],
      ]);
    });
  }

  test("when ClickHouse dies after it stored the batch, and another process repeats the insert", async () => {
    await tested.store.insert(batch, rows);
    await clickHouse.arm({ kind: "dieAfter", statement: "INSERT INTO clicks" });

    const hasFailed = await failed(tested.store.insert(next, later));
    const isDown = await failed(counted(tested.store));
    await clickHouse.start();
    const another = tested.another();
    const open = await another.openBatch("spool_a");
    await another.insert(next, later);

    expect([hasFailed, isDown, open]).toEqual([true, true, next]);
    expect([await counted(another), await counted(tested.store)]).toEqual([800, 800]);
  });

  test("when the answer to the second month of the batch is lost", async () => {
    const { store } = tested;
    await counted(store);
    await clickHouse.arm(
      { kind: "executeTwice", statement: "INSERT INTO clicks" },
      { kind: "dropAnswer", statement: "INSERT INTO clicks" },
    );

    const hasFailed = await failed(store.insert(batch, months));
    await store.insert(batch, months);

    expect([hasFailed, await counted(store)]).toEqual([true, months.length]);
  });

  test("when ClickHouse has forgotten its token after an hour", async () => {
    const { store } = tested;
    await store.insert(batch, rows);
    await clickHouse.arm({ kind: "dropAnswer", statement: "INSERT INTO clicks" });
    const hasFailed = await failed(store.insert(next, later));

    now += hourMs;
    await forgetTokens(tested.url);
    await store.insert(next, later);

    expect([hasFailed, await counted(store)]).toEqual([true, 800]);
  });

  test("when its insert has failed on one shard of a cluster, whose rows are missing", async () => {
    const { store, url, db } = tested;
    await store.insert(batch, rows);
    await clickHouse.arm({ kind: "refuse", statement: "INSERT INTO clicks" });
    const hasFailed = await failed(store.insert(next, later));
    const { number } = await db
      .selectFrom("clickBatches")
      .select("number")
      .where("isStored", "=", 0)
      .executeTakeFirstOrThrow();

    // What the other shard has stored.
    await insertRows(url, later.slice(0, 120), number);
    await store.insert(next, later);

    expect([hasFailed, await counted(store)]).toEqual([true, rows.length + later.length]);
  });

  test("when the connection is silent during its insert, and the insert is repeated after a bounded time", async () => {
    const proxy = await openTcpProxy(Number(new URL(clickHouse.url).port));
    const url = new URL(tested.url);
    url.port = String(proxy.port);
    const behind = tested.another({ url: url.href, insertTimeMaxMs: 1_000 });
    await behind.insert(batch, rows);

    proxy.hold();
    const hasFailed = await failed(behind.insert(next, later));
    proxy.release();
    await behind.insert(next, later);

    expect([hasFailed, await counted(behind), await behind.cursor("spool_a")]).toEqual([true, 800, 200]);
    proxy.close();
  });

  test("while a removal of the same process takes long", async () => {
    const { store } = tested;
    await store.insert(batch, rows);
    await clickHouse.arm({ kind: "executeAfterNext", statement: "DELETE FROM" });

    const erased = store.erase({ workspaceId: 1 });
    await eventually(
      () => clickHouse.arm(),
      (armed) => armed === 0,
    );
    await store.insert(next, others);
    await erased;

    expect([await counted(store), await counted(store, 2)]).toEqual([0, others.length]);
  });

  test("when two processes insert it at the same time", async () => {
    const another = tested.another();

    await Promise.all([tested.store.insert(batch, rows), another.insert(batch, rows)]);

    expect(await counted(another)).toBe(500);
  });
});

test("clicks are counted once after PostgreSQL was restored from an older backup than ClickHouse", async () => {
  const { db, store, reopen, url } = tested;
  await store.insert(batch, rows);
  const [cursors, batches, counter] = await Promise.all([
    db.selectFrom("clickCursors").selectAll().execute(),
    db.selectFrom("clickBatches").selectAll().execute(),
    db.selectFrom("clickBatchCounter").selectAll().executeTakeFirstOrThrow(),
  ]);
  await store.insert(next, later);
  for (const table of ["clickCursors", "clickBatches"] as const) await db.deleteFrom(table).execute();
  await db.insertInto("clickCursors").values(cursors).execute();
  await db.insertInto("clickBatches").values(batches).execute();
  await db.updateTable("clickBatchCounter").set(counter).execute();

  await expect((await reopen()).insert(next, later)).rejects.toThrow("ClickHouse has clicks of batches after number 1");
  // As docs/clickhouse.md describes it.
  await command(url, `DELETE FROM clicks WHERE batch > ${counter.last}`);
  const restored = await reopen();
  const cursor = await restored.cursor("spool_a");
  await restored.insert(next, later);

  expect([cursor, await counted(restored), await restored.cursor("spool_a")]).toEqual([100, 800, 200]);
});

describe("a spool whose batch may be stored", () => {
  test("gets no batch with other bounds before that one", async () => {
    const { store } = tested;
    await counted(store);
    await clickHouse.arm({ kind: "dropAnswer", statement: "INSERT INTO clicks" });
    await failed(store.insert(batch, rows));

    const other = store.insert({ ...batch, to: 150 }, rows);

    await expect(other).rejects.toThrow("The batch from 0 to 100 of spool spool_a must be stored before another one.");
    expect(await store.cursor("spool_a")).toBe(0);
  });

  test("keeps nothing waiting once it is abandoned, and its clicks are stored once if its disk returns", async () => {
    const { db, store } = tested;
    await store.insert(batch, rows);
    await clickHouse.arm({ kind: "dropAnswer", statement: "INSERT INTO clicks" });
    await failed(store.insert(next, later));
    const spools = [{ spoolId: "spool_a", end: 200, stored: 100, counted: 100 }];
    await reportNode(db, { id: "dead", host: "dead", version: "1", state: "running", copyAt: now, spools }, now);

    const abandoned = await abandonSpool(db, "spool_a", now + hourMs);
    const { cursors } = await store.linkCounts({ workspaceId: 1, after: "", limit: 1_000 });
    await store.expire({ workspaceId: 1, before: day.to });
    const open = await store.openBatch("spool_a");
    await store.insert(next, later);

    expect(abandoned).toEqual({ spoolId: "spool_a", nodeId: "dead", lostBytes: 100 });
    expect([cursors, open, await counted(store)]).toEqual([{ spool_a: 200 }, undefined, 800]);
    const countries = {
      ...everything,
      workspaceId: 1,
      grouping: { kind: "dimension", dimension: "country", rowsMax: 9 },
    } as const;
    expect(await store.query(countries)).toEqual([]);
  });

  test("does not count in a comparison of links, which knows only whole batches", async () => {
    const { store } = tested;
    await store.insert(batch, rows);
    await clickHouse.arm({ kind: "dropAnswer", statement: "INSERT INTO clicks" });
    await failed(store.insert(next, later));

    const { cursors, links } = await store.linkCounts({ workspaceId: 1, after: "", limit: 1_000 });

    expect([cursors, links.reduce((sum, { clicks }) => sum + clicks, 0)]).toEqual([
      { spool_a: 100 },
      rows.filter(({ bot }) => bot === "").length,
    ]);
  });
});

describe("an expiry", () => {
  const before = day.from + 12 * hourMs;
  const counts = { ...everything, workspaceId: 1, grouping: { kind: "intervals", intervalMs: hourMs } } as const;
  const expected = (clicks: readonly Click[]) => expectedClickRows(clicks, counts);

  for (const statement of ["INSERT INTO expiries", "INSERT INTO expired_clicks"]) {
    for (const kind of ["refuse", "dropAnswer", "executeTwice"] as const) {
      test(`changes no count when ClickHouse has the fault "${kind}" in ${statement}, and it is repeated`, async () => {
        const { store } = tested;
        await store.insert(batch, rows);
        await clickHouse.arm({ kind, statement });

        await failed(store.expire({ workspaceId: 1, before }));
        const between = await store.query(counts);
        await store.insert(next, later);
        await store.expire({ workspaceId: 1, before });
        await store.expire({ workspaceId: 1, before });

        expect(between).toEqual(expected(rows));
        expect(await store.query(counts)).toEqual(expected([...rows, ...later]));
        now += dayMs;
        await store.maintain(neverAborted);
        expect(await store.query(counts)).toEqual(expected([...rows, ...later]));
        const countries = { ...counts, grouping: { kind: "dimension", dimension: "country", rowsMax: 1_000 } } as const;
        const kept = [...rows, ...later].filter(({ time }) => time >= before);
        expect(await store.query(countries)).toEqual(expectedClickRows(kept, countries));
      });
    }
  }

  test("hides its clicks at once in another process, and deletes them some minutes later", async () => {
    const { store } = tested;
    await store.insert(batch, rows);
    const another = tested.another();
    const first = await another.query(counts);

    await store.expire({ workspaceId: 1, before });
    const isEarly = await store.maintain(neverAborted);
    const stored = await storedRows(tested.url);
    now += 10 * 60_000;
    const isLate = await store.maintain(neverAborted);

    expect([isEarly, stored]).toEqual([false, rows.length]);
    expect([isLate, await storedRows(tested.url)]).toEqual([true, rows.filter(({ time }) => time >= before).length]);
    expect([first, await another.query(counts), await store.query(counts)]).toEqual([
      ...[expected(rows), expected(rows), expected(rows)],
    ]);
  });
});

/** Makes ClickHouse forget the tokens of all inserts into clicks, as it does after many others. */
async function forgetTokens(url: string): Promise<void> {
  for (const window of [0, 10_000]) {
    await command(url, `ALTER TABLE clicks MODIFY SETTING non_replicated_deduplication_window = ${window}`);
  }
}

async function insertRows(url: string, clicks: readonly Click[], batchNumber: number): Promise<void> {
  const client = createClient({ url });
  const [first, ...others] = clickColumns;
  await client.insert({
    table: "clicks",
    columns: [first, ...others],
    values: clicks.map((click) => clickValues(click, batchNumber)),
    format: "JSONCompactEachRow",
  });
  await client.close();
}

async function command(url: string, query: string): Promise<void> {
  const client = createClient({ url });
  await client.command({ query });
  await client.close();
}

/** The rows of the table, hidden ones included. */
async function storedRows(url: string): Promise<number> {
  const client = createClient({ url });
  const result = await client.query({ query: "SELECT count() FROM clicks", format: "JSONCompactEachRow" });
  const [[count] = []] = await result.json<string[]>();
  await client.close();
  return Number(count);
}
