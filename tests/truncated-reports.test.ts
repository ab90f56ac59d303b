/** Reports of more groups than a response holds, from clicks that are written to the spool of a stopped server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { dayMs } from "../src/base/time.ts";
import { dataPaths } from "../src/data-paths.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";
import { appendTick, capturedClick, testSpool } from "./support/spools.ts";

/** The default of `limit` in GET /analytics. */
const rowsMax = 5_000;
const clicks = rowsMax + 1;
let server: TestServer;

/**
 * Each click has another referrer, and the last one is two days older. Two clicks have the same URL, so there are rowsMax
 * URLs.
 */
beforeAll(async () => {
  const stopped = await startServer();
  await stopped.end("SIGTERM");
  const spool = testSpool(dataPaths({ WAYPOST_DATA: stopped.data }).spool);
  const now = Date.now();
  const sent = Array.from({ length: clicks }, (_, index) => {
    const url = `https://example.com/${index % rowsMax}`;
    const time = index < rowsMax ? now - index : now - 2 * dayMs;
    return capturedClick(index, { time, referer: `https://news-${index}.example/`, url });
  });
  await appendTick(spool, sent);
  spool.close();
  server = await stopped.restart();
  await eventually(
    async () => Count.parse((await report("groupBy=count")).body).clicks,
    (count) => count === clicks,
  );
});
afterAll(() => server.remove());

const Count = z.object({ clicks: z.int() });
const Rows = z.array(z.object({ clicks: z.int() }));
const report = (query: string) => server.call("GET", `/analytics?${query}`);

test("without limit, a report has at most 5,000 rows, and Waypost-Truncated says that more exist", async () => {
  const { headers, body } = await report("groupBy=referer_urls");

  expect([Rows.parse(body).length, headers.get("waypost-truncated")]).toEqual([rowsMax, "true"]);
});

test("a report of exactly 5,000 rows is not truncated, and has the most clicks first", async () => {
  const { headers, body } = await report("groupBy=top_urls");

  const rows = Rows.parse(body);
  expect([rows.length, headers.get("waypost-truncated")]).toEqual([rowsMax, null]);
  expect(rows.slice(0, 2).map((row) => row.clicks)).toEqual([2, 1]);
});

test("GET /analytics/clicks has at most 5,000 groups and a row for the rest, and Waypost-Truncated says so", async () => {
  const clicksBy = async (query: string) => {
    const { headers, body } = await server.call("GET", `/analytics/clicks?${query}`);
    const { data, clicks } = z.object({ data: z.array(Group), clicks: z.int() }).parse(body);
    return { rows: data.length, others: data.filter(isOther), clicks, truncated: headers.get("waypost-truncated") };
  };
  const Group = z.object({ referer: z.string(), clicks: z.int() });
  const isOther = ({ referer }: z.output<typeof Group>) => referer === "Other";

  expect(await clicksBy("groupBy=referer")).toEqual({
    rows: rowsMax + 1,
    others: [{ referer: "Other", clicks: 1 }],
    clicks,
    truncated: "true",
  });
  expect(await clicksBy("groupBy=referer&interval=24h")).toEqual({
    rows: rowsMax,
    others: [],
    clicks: rowsMax,
    truncated: null,
  });
});
