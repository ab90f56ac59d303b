import { expect, test } from "bun:test";
import { minuteMs } from "../../src/base/time.ts";
import { ClickHouse } from "../../src/clicks/stores/clickhouse/client.ts";
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
