/** Placeholders while a response is pending, and a stable layout when it arrives. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { newLink, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { clickEach } from "../support/visitor-pages.ts";

const world = openWalks();

/** A page below this is considered stable: https://web.dev/articles/cls. */
const movedMax = 0.1;

const views = { "a desktop": { width: 1280, height: 800 }, "a phone": { width: 360, height: 740 } };

beforeAll(async () => {
  const keys = [1, 2, 3, 4, 5, 6].map((number) => `held-${number}`);
  for (const key of keys) await newLink(world.server, { url: "https://example.com/", key });
  await clickEach(world.server, keys);
});

/** Holds matching requests back until they are released. */
async function hold(page: Page, pattern: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Records layout shifts of pages opened from now on: see movedIn. */
async function watchMoves(page: Page): Promise<void> {
  await page.addInitScript(`
    window.moved = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) window.moved += value;
    }).observe({ type: "layout-shift", buffered: true });
  `);
}

/** The Cumulative Layout Shift of the page. */
async function movedIn(page: Page): Promise<number> {
  return z.number().parse(await page.evaluate("window.moved"));
}

/** The distance of an element from the top of the page. */
async function topOf(part: Locator): Promise<number | undefined> {
  return (await part.boundingBox())?.y;
}

describe.each(Object.entries(views))("on %s", (_, viewport) => {
  test(
    "placeholders stand for links until they are read, at the same positions",
    async () => {
      const page = await world.newPage({ viewport });
      await watchMoves(page);
      const letCount = await hold(page, /\/v1\/links\/count\?/);
      const letList = await hold(page, /\/v1\/links\?/);
      const shapes = page.getByRole("main").locator(".animate-pulse");
      const list = page.getByRole("list", { name: "Links" });
      await page.goto(world.url("/links"));

      const loading = page.getByRole("region", { name: "Loading" });
      await loading.waitFor();
      const uncounted = { shapes: await shapes.count(), rows: await list.count(), top: await topOf(loading) };
      letCount();
      await page.getByText("7 links", { exact: true }).waitFor();
      const unread = { shapes: await shapes.count(), box: await list.boundingBox() };
      letList();
      await row(page, "held-1").waitFor();

      expect(uncounted.rows).toBe(0);
      expect(Math.min(uncounted.shapes, unread.shapes)).toBeGreaterThan(7);
      expect(await shapes.count()).toBe(0);
      expect(await topOf(page.getByRole("main").locator("section").first())).toBe(uncounted.top);
      expect(await list.boundingBox()).toEqual(unread.box);
      expect(await movedIn(page)).toBeLessThan(movedMax);
      await page.context().close();
    },
    walkMsMax,
  );

  test(
    "placeholders stand for totals, chart and cards until they are read, at the same positions",
    async () => {
      const page = await world.newPage({ viewport });
      await watchMoves(page);
      const answer = await hold(page, /\/v1\/analytics/);
      const shapes = page.getByRole("main").locator(".animate-pulse");
      const firstCard = page.getByRole("region", { name: "What was clicked" });
      await page.goto(world.url("/analytics"));

      await firstCard.waitFor();
      const held = { shapes: await shapes.count(), top: await topOf(firstCard) };
      answer();
      await page.getByRole("button", { name: /^Clicks 6\b/ }).waitFor();
      await firstCard.getByRole("button", { name: /^localhost.*\/held-1\b/ }).waitFor();
      await page.getByRole("slider", { name: /^Clicks over time/ }).waitFor();

      await shapes.first().waitFor({ state: "detached" });
      expect(held.shapes).toBeGreaterThan(20);
      expect(await topOf(firstCard)).toBe(held.top);
      expect(await movedIn(page)).toBeLessThan(movedMax);
      await page.context().close();
    },
    walkMsMax,
  );
});

test("no page had errors", () => {
  expect(world.pageErrors).toEqual([]);
});
