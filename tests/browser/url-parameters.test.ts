/** Parameters in the URL of a page that the page does not know, such as those that mail programs append. */
import { beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { newLink, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();
const Share = z.object({ url: z.string() });
const parameters = "?fbclid=abc&page=2&interval=2d&order=largest&metric=sales";
let linkId = "";

beforeAll(async () => {
  linkId = (await newLink(world.server, { url: "https://example.com/", key: "forwarded" })).id;
});

test(
  "a page ignores parameters and values that it does not know",
  async () => {
    const { body } = await world.server.call("POST", "/shares", { body: { linkId } });
    const paths = [world.url("/analytics"), Share.parse(body).url.replace(/^https?:\/\/[^/]+/, world.server.url)];
    const refused: string[] = [];
    const page = await world.newPage();
    page.on("response", (answer) => {
      if (answer.status() === 422) refused.push(answer.url());
    });

    await page.goto(world.url(`/links${parameters}`));
    await row(page, "forwarded").waitFor();
    for (const path of paths) {
      await page.goto(`${path}${parameters}`);
      await page
        .getByText(/no clicks/i)
        .first()
        .waitFor();
    }
    await page.context().close();

    expect(refused).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
