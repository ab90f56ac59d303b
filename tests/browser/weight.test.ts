/** The scripts that the list of links and analytics load, and the scripts that the dashboard's page may run. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { row } from "../support/link-list.ts";
import { walkMsMax } from "../support/open-walks.ts";
import { figureOf, openWalkedReports, waitForCards } from "../support/walked-reports.ts";

/** TABLE of the pages: path, how to wait for its content, and the most bytes of compressed script. */
const pages = [
  ["/links", (page: Page) => row(page, "grouped").first().waitFor(), 200 * 1024],
  [
    "/analytics",
    (page: Page) =>
      figureOf(page)
        .waitFor()
        .then(() => waitForCards(page)),
    250 * 1024,
  ],
] as const;

const { world } = openWalkedReports();

test.each(pages)(
  "%s loads little script until its content is shown",
  async (path, content, bytesMax) => {
    const page = await world.newPage();
    // The network is never idle: an open page follows changes.
    const scripts = new Set<string>();
    page.on("request", (request) => request.resourceType() === "script" && scripts.add(request.url()));
    await page.goto(world.url(path));
    await content(page);

    expect(scripts.size).toBeGreaterThan(1);
    // The last one as Chromium accepts them.
    for (const accepted of ["gzip", "br", "gzip, deflate, br, zstd"]) {
      let bytes = 0;
      for (const url of scripts) bytes += await bytesSent(url, accepted);
      expect({ accepted, isLittle: bytes < bytesMax, bytes }).toMatchObject({ accepted, isLittle: true });
    }
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

/** The size as sent to a browser that accepts these encodings. */
async function bytesSent(url: string, accepted: string): Promise<number> {
  const response = await fetch(url, { headers: { "Accept-Encoding": accepted }, decompress: false });
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
}
