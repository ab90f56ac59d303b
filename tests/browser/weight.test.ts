/** What a browser has to load before the list of links is there, and what its page lets run. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { openWalks } from "../support/open-walks.ts";

const scriptBytesMax = 200 * 1024;

const world = openWalks();

test("the list of links needs less than 200 KiB of script, packed by gzip", async () => {
  const { page } = world;
  await page.goto(world.url("/links"));
  await page.getByRole("heading", { level: 1, name: "Links" }).waitFor();
  await page.waitForLoadState("networkidle");

  const loaded = z
    .array(z.string())
    .parse(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)'));
  const scripts = loaded.filter((url) => url.endsWith(".js"));
  let bytes = 0;
  for (const url of scripts) bytes += await packedBytes(url);

  expect(scripts.length).toBeGreaterThan(1);
  expect(bytes).toBeLessThan(scriptBytesMax);
  expect(world.pageErrors).toEqual([]);
});

test("the page of the dashboard lets no script run but its own files", async () => {
  const { headers } = await fetch(`${world.server.url}/app`);

  const directives = headers.get("Content-Security-Policy")?.split("; ");
  expect(directives).toContain("default-src 'none'");
  expect(directives?.filter((directive) => directive.startsWith("script-src"))).toEqual(["script-src 'self'"]);
});

/** As it goes over the wire to a browser that takes gzip. */
async function packedBytes(url: string): Promise<number> {
  const response = await fetch(url, { headers: { "Accept-Encoding": "gzip" }, decompress: false });
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
}
