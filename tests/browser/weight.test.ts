/** The scripts that the list of links and analytics load, and the scripts that the dashboard's page may run. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { newLink, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { browser, eventually } from "../support/server.ts";

/** TABLE of the pages: path, what is shown last, and the most bytes of gzipped script. */
const pages = [
  ["/links", (page: Page) => row(page, "clicked"), 200 * 1024],
  ["/analytics", (page: Page) => page.getByRole("main").getByText("Firefox", { exact: true }), 250 * 1024],
] as const;

const world = openWalks();

const Counted = z.object({ clicks: z.number() });

/** Without clicks, analytics would not load its cards. */
beforeAll(async () => {
  await newLink(world.server, { url: "https://example.com", key: "clicked" });
  await world.server.visit("/clicked", { headers: browser });
  const clicks = async () => Counted.parse((await world.server.call("GET", "/analytics")).body).clicks;
  await eventually(clicks, (found) => found === 1);
});

test.each(pages)(
  "%s loads little script until its content is shown",
  async (path, content, bytesMax) => {
    const page = await world.newPage();
    // The network is never idle: an open page follows changes.
    const scripts = new Set<string>();
    page.on("request", (request) => request.resourceType() === "script" && scripts.add(request.url()));
    await page.goto(world.url(path));
    await content(page).first().waitFor();

    let bytes = 0;
    for (const url of scripts) bytes += await gzippedBytes(url);

    expect(scripts.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(bytesMax);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test("the dashboard's page only runs its own script files", async () => {
  const { headers } = await fetch(`${world.server.url}/app`);

  const directives = headers.get("Content-Security-Policy")?.split("; ");
  expect(directives).toContain("default-src 'none'");
  expect(directives?.filter((directive) => directive.startsWith("script-src"))).toEqual(["script-src 'self'"]);
});

/** The size as sent to a browser that accepts gzip. */
async function gzippedBytes(url: string): Promise<number> {
  const response = await fetch(url, { headers: { "Accept-Encoding": "gzip" }, decompress: false });
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
}
