import { expect, test } from "bun:test";
import { minuteMs } from "../../src/base/time.ts";
import { ClickHouse } from "../../src/clicks/stores/clickhouse/client.ts";
import { differentVisitors } from "../../src/clicks/stores/clickhouse/visitor-arrays.ts";
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

test("a group with more than 17 million clicks of one visitor is counted, also after it has been moved to the server's disk", async () => {
  const server = await openClickHouse();
  const url = await server.createDatabase();
  const clickHouse = new ClickHouse(url, { callTimeMaxMs: minuteMs, insertTimeMaxMs: minuteMs });
  const counts = `SELECT link, count() AS clicks, ${differentVisitors(16)} AS visitors`;
  const clicks = "SELECT intDiv(number, 20000000) AS link, if(link = 0, 16, number) AS visitor FROM numbers(20000010)";
  // The array of the first group grows from 134 to 268 MB with its click 16,777,217.
  const settings = "SETTINGS max_threads = 1, max_bytes_before_external_group_by = 200000000";
  const sql = `${counts} FROM (${clicks}) GROUP BY link ORDER BY link ${settings}`;

  const rows = await clickHouse.read({ sql, parameters: {} }, minuteMs, AbortSignal.timeout(minuteMs));
  await clickHouse.close();
  await server.dropDatabase(url);
  await server.stop();

  expect(rows).toEqual([
    { link: 0, clicks: 20_000_000, visitors: 1 },
    { link: 1, clicks: 10, visitors: 10 },
  ]);
});
