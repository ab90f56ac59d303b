/** The rows of the cards in analytics. */
import { expect, test } from "bun:test";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { browser as person } from "../support/server.ts";

const world = openWalks();

test(
  "a short link beside a short title is shown in full while the row has room",
  async () => {
    const page = await world.newPage();
    await newLink(world.server, { url: "https://example.com/", key: "hotel-partners", title: "Inn" });
    await world.server.visit("/hotel-partners", { headers: person });
    await page.goto(world.url("/analytics"));
    const shortLink = page.getByText(/\/hotel-partners$/).first();
    await shortLink.waitFor();

    const isCut = await shortLink.evaluate((element) => element.scrollWidth > element.clientWidth);

    await page.context().close();
    expect(isCut).toBe(false);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
