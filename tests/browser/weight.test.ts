/** What a browser has to load before the list of links is there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { type DashboardWorld, openDashboardWorld, worldStartMsMax } from "../support/dashboard.ts";

const scriptBytesMax = 200 * 1024;

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
}, worldStartMsMax);
afterAll(() => world.close());

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
  expect(world.complaints).toEqual([]);
});

/** As it goes over the wire to a browser that takes gzip. */
async function packedBytes(url: string): Promise<number> {
  const response = await fetch(url, { headers: { "Accept-Encoding": "gzip" }, decompress: false });
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
}
