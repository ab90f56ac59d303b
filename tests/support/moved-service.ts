import { expect } from "bun:test";
import { waitUntilDrained } from "./counted-once.ts";
import { browser, type TestServer } from "./server.ts";

/** The links of a filled service, without the root link of its domain. */
export const movedLinks = 1_200;
/** Paths whose answers a move leaves as they are. */
const paths = [
  "/links?pageSize=100",
  "/links/count",
  "/links/count?search=offer",
  "/tags",
  "/folders",
  "/domains",
  "/workspaces",
  "/workspaces/1/members",
  "/analytics?groupBy=top_links&interval=all&event=clicks",
  "/analytics?groupBy=timeseries&interval=all&event=clicks",
  "/events?interval=all&event=clicks&limit=100",
];

/** The answers of the API, without the host and its port, which change with a restart. */
export async function answersOf(server: TestServer): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await server.call("GET", path);
    expect({ path, status }).toEqual({ path, status: 200 });
    found[path] = body;
  }
  return JSON.parse(JSON.stringify(found).replaceAll(/(127\.0\.0\.1|localhost)(:|%3A)\d+/g, "host"));
}

/** Creates links with a tag, and counts clicks on three of them. */
export async function fillForMove(server: TestServer): Promise<void> {
  await server.call("POST", "/tags", { body: { name: "Grün 🌱" } });
  for (let from = 0; from < movedLinks; from += 100) {
    const body = Array.from({ length: 100 }, (_, at) => ({
      url: `https://example.com/${from + at}`,
      key: `offer-${from + at}`,
      comments: 'A "quoted" text\nwith \\ and é',
      tagNames: ["Grün 🌱"],
    }));
    expect((await server.call("POST", "/links/bulk", { body })).status).toBe(200);
  }
  for (let at = 0; at < 20; at++) await server.visit(`/offer-${at % 3}`, { headers: browser });
  await waitUntilDrained(server);
}
