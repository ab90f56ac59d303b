/** The rows of the cards in analytics. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually, browser as person } from "../support/server.ts";

const world = openWalks();

/** A person's visit. Resolves when reports count it: the page reads them once. */
async function countedVisit(path: string): Promise<void> {
  const count = async () => {
    const { body } = await world.server.call("GET", "/analytics?event=clicks&groupBy=count&interval=24h");
    return Number(Object(body).clicks);
  };
  const before = await count();
  await world.server.visit(path, { headers: person });
  await eventually(count, (clicks) => clicks > before);
}

/** Whether the host and the slug of a link's row are cut. */
async function cutParts(page: Page, slug: string): Promise<boolean[]> {
  const path = page.getByRole("region", { name: "Links" }).getByText(slug, { exact: true });
  await path.waitFor();
  const parts = [path.locator("xpath=preceding-sibling::*"), path];
  return await Promise.all(parts.map((part) => part.evaluate((box) => box.scrollWidth > box.clientWidth)));
}

test(
  "a short link beside a short title is shown in full while the row has room",
  async () => {
    const page = await world.newPage();
    await newLink(world.server, { url: "https://example.com/", key: "hotel-partners", title: "Inn" });
    await countedVisit("/hotel-partners");
    await page.goto(world.url("/analytics"));

    const cut = await cutParts(page, "/hotel-partners");

    await page.context().close();
    expect(cut).toEqual([false, false]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "in a narrow row the host of a short link makes room for its title, and its slug is shown in full",
  async () => {
    const page = await world.newPage({ viewport: { width: 1024, height: 800 } });
    await newLink(world.server, { url: "https://example.com/", key: "subscribe-now", title: "Coffee subscription" });
    await countedVisit("/subscribe-now");
    await page.goto(world.url("/analytics"));

    const cut = await cutParts(page, "/subscribe-now");

    await page.context().close();
    expect(cut).toEqual([false, false]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "in a narrow row a long title has two fifths of the room beside a long slug",
  async () => {
    const page = await world.newPage({ viewport: { width: 1024, height: 800 } });
    const [key, title] = ["long-slug".repeat(9), "A long title of this link"];
    await newLink(world.server, { url: "https://example.com/", key, title });
    await countedVisit(`/${key}`);
    await page.goto(world.url("/analytics"));

    const shown = page.getByRole("region", { name: "Links" }).getByText(title, { exact: true });
    await shown.waitFor();
    const width = await shown.evaluate((box) => box.clientWidth);

    await page.context().close();
    expect(width).toBeGreaterThan(65);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "beside totals without bots, the kinds of bots say so and have no share of the totals",
  async () => {
    const page = await world.newPage();
    await newLink(world.server, { url: "https://example.com/", key: "crawled" });
    await world.server.visit("/crawled", { headers: { "User-Agent": "Googlebot/2.1" } });
    await countedVisit("/crawled");
    const card = page.getByRole("region", { name: "Triggers & bots" });
    const kind = card.getByRole("button", { name: /^Search engines/ });
    const shown = async (search: string) => {
      await page.goto(world.url(`/analytics${search}`));
      await card.getByRole("tab", { name: "Bots" }).click();
      await kind.filter({ hasText: "1" }).waitFor();
      const notes = await card.getByText("not in the totals").count();
      return { notes, hasShare: (await kind.innerText()).includes("%") };
    };

    const usual = await shown("");
    const withBots = await shown("?bots=include");

    await page.context().close();
    expect(usual).toEqual({ notes: 1, hasShare: false });
    expect(withBots).toEqual({ notes: 0, hasShare: true });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
