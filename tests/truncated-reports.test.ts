/** Reports of more groups than a response holds, from clicks that are written to the spool of a stopped server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { dataPaths } from "../src/data-paths.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";
import { appendTick, capturedClick, testSpool } from "./support/spools.ts";

/** The default of `limit` in GET /analytics. */
const rowsMax = 5_000;
const clicks = rowsMax + 1;
let server: TestServer;

/** Each click has another referrer. Two clicks have the same URL, so there are rowsMax URLs. */
beforeAll(async () => {
  const stopped = await startServer();
  await stopped.end("SIGTERM");
  const spool = testSpool(dataPaths({ WAYPOST_DATA: stopped.data }).spool);
  const now = Date.now();
  const sent = Array.from({ length: clicks }, (_, index) => {
    const url = `https://example.com/${index % rowsMax}`;
    return capturedClick(index, { time: now - index, referer: `https://news.example/${index}`, url });
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
