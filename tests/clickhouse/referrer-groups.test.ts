import { expect, test } from "bun:test";
import { minuteMs } from "../../src/base/time.ts";
import { ClickHouse } from "../../src/clicks/stores/clickhouse/client.ts";
import { correctReferrerGroups } from "../../src/clicks/stores/clickhouse/referrer-groups.ts";
import { createTables } from "../../src/clicks/stores/clickhouse/schema.ts";
import { openClickHouse } from "./clickhouse.ts";

test("referrers are read in pages, and those of every page are corrected", async () => {
  const server = await openClickHouse();
  const url = await server.createDatabase();
  const clickHouse = new ClickHouse(url, { callTimeMaxMs: minuteMs, insertTimeMaxMs: minuteMs });
  const pages: number[] = [];
  const read = async (sql: string, parameters = {}) => {
    const rows = await clickHouse.read({ sql, parameters }, minuteMs, AbortSignal.timeout(minuteMs));
    pages.push(rows.length);
    return rows;
  };
  for (const sql of createTables({})) await clickHouse.run({ sql, parameters: {} });
  // Some hosts have two rows, with the right group and a wrong one; 3 and 8 are in no service.
  const sql = `INSERT INTO clicks (workspaceId, time, linkId, referer, refererGroup, channel)
SELECT 1, toDateTime64('2026-09-01 00:00:00', 3, 'UTC') + number, 'link', multiIf(number = 15, '',
    number % 5 = 3, concat(toString(number % 10), '.example'), concat(toString(number % 10), '.instagram.com')) AS host,
  if(number < 10, 'Instagram', 'Before'), if(number < 10, 'social', 'ai')
FROM numbers(16)`;
  await clickHouse.run({ sql, parameters: {} });

  await correctReferrerGroups({ clickHouse, read, topology: {}, hostsMax: 3 });
  const corrected = [...pages];
  const stored = await read(
    "SELECT referer, groupUniqArray(refererGroup) AS groups, groupUniqArray(channel) AS channels FROM clicks GROUP BY referer ORDER BY referer",
  );
  await clickHouse.close();
  await server.dropDatabase(url);
  await server.stop();

  expect(corrected).toEqual([3, 3, 3, 2]);
  expect(stored).toEqual([
    { referer: "", groups: [""], channels: ["direct"] },
    ...Array.from({ length: 10 }, (_, number) =>
      number % 5 === 3
        ? { referer: `${number}.example`, groups: [`${number}.example`], channels: ["referral"] }
        : { referer: `${number}.instagram.com`, groups: ["Instagram"], channels: ["social"] },
    ),
  ]);
});
