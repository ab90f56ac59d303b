import { expect, test } from "bun:test";
import { createClient } from "@clickhouse/client";
import { browser, eventually, startServer, type TestServer } from "../support/server.ts";
import { startClickHouse } from "./clickhouse.ts";

const clicksPerRound = 40;
const secret = "a-secret-of-all-nodes-with-32-characters";

/** The human clicks of a link: in its counter, in a report, and as rows. */
async function countsOf(server: TestServer, linkId: string) {
  const [link, report, events] = await Promise.all([
    server.call("GET", `/links/${linkId}`),
    server.call("GET", `/analytics?event=clicks&groupBy=count&linkId=${linkId}&interval=all`),
    server.call("GET", `/events?event=clicks&linkId=${linkId}&interval=all&limit=1000`),
  ]);
  return { link: link.body, report: report.body, status: report.status, events: events.body };
}

test("every answered click is counted once, while ClickHouse is killed and comes back", async () => {
  const clickHouse = await startClickHouse();
  const url = await clickHouse.createDatabase();
  const server = await startServer(
    { WAYPOST_CLICKS_URL: url, WAYPOST_CLICKS_INTERVAL_MS: "250", WAYPOST_SECRET: secret },
    "postgres",
  );
  try {
    const created = await server.call("POST", "/links", { body: { url: "https://target.example/", key: "go" } });
    const { id }: { id: string } = Object(created.body);
    const statuses: number[] = [];
    const visit = async () => {
      for (let click = 0; click < clicksPerRound; click++) {
        statuses.push((await server.visit("/go", { headers: browser })).status);
      }
    };
    const clicksOf = async () => Object((await countsOf(server, id)).report)["clicks"];

    await visit();
    await eventually(clicksOf, (clicks) => clicks === clicksPerRound);
    await clickHouse.arm({ kind: "dieAfter", statement: "INSERT INTO clicks" });
    await visit();
    const during = await eventually(
      () => countsOf(server, id),
      ({ status }) => status === 503,
    );
    await visit();
    const ready = await fetch(`${server.url}/readyz`);
    await clickHouse.start();
    await eventually(clicksOf, (clicks) => clicks === 3 * clicksPerRound);
    await eventually(
      () => countsOf(server, id),
      ({ link }) => Object(link)["clicks"] === 3 * clicksPerRound,
    );

    expect(statuses).toEqual(statuses.map(() => 302));
    expect([during.status, ready.status]).toEqual([503, 200]);
    expect(Object((await countsOf(server, id)).events)).toHaveLength(3 * clicksPerRound);
    const client = createClient({ url });
    const rows = await client.query({
      query: "SELECT count(), uniqExact(id) FROM clicks",
      format: "JSONCompactEachRow",
    });
    expect(await rows.json<number[]>()).toEqual([[120, 120]]);
    await client.close();
    expect(await Bun.file(`${server.data}/clicks.duckdb`).exists()).toBe(false);
  } finally {
    await server.remove();
    await clickHouse.stop();
  }
});
