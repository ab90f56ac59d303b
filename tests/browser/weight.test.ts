/** The scripts that the list of links loads, and the scripts that the dashboard's page may run. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { openWalks } from "../support/open-walks.ts";

const scriptBytesMax = 200 * 1024;

const world = openWalks();

test("the list of links loads less than 200 KiB of gzipped script", async () => {
  const { page } = world;
  await page.goto(world.url("/links"));
  await page.getByRole("heading", { level: 1, name: "Links" }).waitFor();
  await page.waitForLoadState("networkidle");

  const loaded = z
    .array(z.string())
    .parse(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)'));
  const scripts = loaded.filter((url) => url.endsWith(".js"));
  let bytes = 0;
  for (const url of scripts) bytes += await gzippedBytes(url);

  expect(scripts.length).toBeGreaterThan(1);
  expect(bytes).toBeLessThan(scriptBytesMax);
  expect(world.pageErrors).toEqual([]);
});

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
