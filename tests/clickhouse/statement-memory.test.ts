import { expect, test } from "bun:test";
import { minuteMs } from "../../src/base/time.ts";
import { ClickHouse } from "../../src/clicks/stores/clickhouse/client.ts";
import { exceedsMemory } from "../../src/clicks/stores/open-click-store.ts";
import { openClickHouse } from "./clickhouse.ts";

test("ClickHouse bounds the memory of every statement: of a query, an export, and a change", async () => {
  const server = await openClickHouse();
  const url = await server.createDatabase();
  const clickHouse = new ClickHouse(url, { callTimeMaxMs: minuteMs, insertTimeMaxMs: minuteMs });
  const setting = "getSetting('max_memory_usage') AS bytes";
  const signal = AbortSignal.timeout(minuteMs);
  const query = (sql: string) => ({ sql, parameters: {} });

  const read = await clickHouse.read(query(`SELECT ${setting}`), minuteMs, signal);
  const stream = await clickHouse.stream(query(`SELECT ${setting} FORMAT JSONEachRow`), minuteMs, signal);
  const streamed: unknown = JSON.parse(Buffer.concat(await Array.fromAsync(stream)).toString());
  await clickHouse.run(query("CREATE TABLE bounds (bytes UInt64) ENGINE = Memory"));
  await clickHouse.run(query(`INSERT INTO bounds SELECT ${setting}`));
  const changed = await clickHouse.read(query("SELECT bytes FROM bounds"), minuteMs, signal);
  await clickHouse.close();
  await server.dropDatabase(url);
  await server.stop();

  const bound = { bytes: 4_000_000_000 };
  expect({ read, streamed, changed }).toEqual({ read: [bound], streamed: bound, changed: [bound] });
});

test("a query that reaches the bound is told from other failures, and the next one is answered", async () => {
  const server = await openClickHouse();
  const url = await server.createDatabase();
  const clickHouse = new ClickHouse(url, { callTimeMaxMs: minuteMs, insertTimeMaxMs: minuteMs });
  const signal = AbortSignal.timeout(minuteMs);
  const read = (sql: string) => clickHouse.read({ sql, parameters: {} }, minuteMs, signal);
  const tooMuch = "SELECT length(groupArray(number)) FROM numbers(10000000) SETTINGS max_memory_usage = 10000000";

  const exceeding = await read(tooMuch).catch((error: unknown) => error);
  const wrong = await read("SELECT missing").catch((error: unknown) => error);
  const next = await read("SELECT 1 AS one");
  await clickHouse.close();
  await server.dropDatabase(url);
  await server.stop();

  expect(exceeding).toBeInstanceOf(Error);
  expect([exceedsMemory(exceeding), exceedsMemory(wrong)]).toEqual([true, false]);
  expect(next).toEqual([{ one: 1 }]);
});
