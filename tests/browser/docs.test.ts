/** The API reference in a real browser. */
import { expect, test } from "bun:test";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

test(
  "the doc_url of an error shows the row of its code",
  async () => {
    const { server } = world;
    const answer = await server.call("POST", "/links", { body: {} });
    const { doc_url: url } = (answer.body as { error: { doc_url: string } }).error;
    const { pathname, hash } = new URL(url);
    const page = await world.newPage({}, null);

    await page.goto(`${server.url}${pathname}${hash}`);
    await page.locator("#reference .opblock").first().waitFor();
    const isShown = `(() => {
      const { top, bottom } = document.getElementById("unprocessable_entity").getBoundingClientRect();
      return scrollY > 0 && top >= 0 && bottom <= innerHeight;
    })()`;
    await page.waitForFunction(isShown);

    expect(hash).toBe("#unprocessable_entity");
    expect(new URL(page.url()).hash).toBe(hash);
  },
  walkMsMax,
);
