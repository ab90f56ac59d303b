/** The scripts that the list of links and analytics load, and the scripts that the dashboard's page may run. */
import { beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { newLink } from "../support/link-list.ts";
import { openWalks } from "../support/open-walks.ts";
import { browser, eventually } from "../support/server.ts";

/** TABLE of the pages: path, heading, and the most bytes of gzipped script. */
const pages = [
  ["/links", "Links", 200 * 1024],
  ["/analytics", "Analytics", 250 * 1024],
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
  "%s, with the heading %s, loads less than %d bytes of gzipped script",
  async (path, name, bytesMax) => {
    const page = await world.newPage();
    await page.goto(world.url(path));
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.waitForLoadState("networkidle");

    const loaded = z
      .array(z.string())
      .parse(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)'));
    const scripts = loaded.filter((url) => url.endsWith(".js"));
    let bytes = 0;
    for (const url of scripts) bytes += await gzippedBytes(url);

    expect(scripts.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(bytesMax);
    expect(world.pageErrors).toEqual([]);
  },
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
