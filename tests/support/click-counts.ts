import type { TestService } from "./server.ts";

/**
 * The clicks of the owner's workspace: in a report, in the counters of its 100 most clicked links, and as rows. `ids` counts
 * the different ids of the rows.
 */
export async function clickCounts(server: TestService) {
  const [report, links, events] = await Promise.all([
    server.call("GET", "/analytics?event=clicks&groupBy=count&interval=all"),
    server.call("GET", "/links?pageSize=100&sortBy=clicks"),
    server.call("GET", "/events?event=clicks&interval=all&limit=1000"),
  ]);
  const counted = Object.values(Object(links.body)).reduce<number>(
    (sum, link) => sum + Number(Object(link)["clicks"]),
    0,
  );
  const ids = Object.values(Object(events.body)).map((event) => Object(event)["click"]["id"]);
  return { report: Number(Object(report.body)["clicks"]), counted, ids: new Set(ids).size, rows: ids.length };
}
