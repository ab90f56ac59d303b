/** Placeholders while a response is pending, and a stable layout when it arrives. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { newLink, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { clickEach } from "../support/visitor-pages.ts";

const world = openWalks();

/** Below this, the Cumulative Layout Shift of a page is good: https://web.dev/articles/cls. */
const layoutShiftMax = 0.1;

const views = { "a desktop": { width: 1280, height: 800 }, "a phone": { width: 360, height: 740 } };

beforeAll(async () => {
  const keys = [1, 2, 3, 4, 5, 6].map((number) => `held-${number}`);
  for (const key of keys) await newLink(world.server, { url: "https://example.com/", key });
  await clickEach(world.server, keys);
});

/** Holds matching requests back until the returned function is called. */
async function hold(page: Page, pattern: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Records the layout shifts of pages opened from now on, for layoutShiftOf. */
async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) window.layoutShift += value;
    }).observe({ type: "layout-shift", buffered: true });
  `);
}

/** The Cumulative Layout Shift of the page. */
async function layoutShiftOf(page: Page): Promise<number> {
  return z.number().parse(await page.evaluate("window.layoutShift"));
}

/** The distance of an element from the top of the page. */
async function topOf(element: Locator): Promise<number | undefined> {
  return (await element.boundingBox())?.y;
}

describe.each(Object.entries(views))("on %s", (_, viewport) => {
  test(
    "placeholders are shown until links have loaded, at the positions of the links",
    async () => {
      const page = await world.newPage({ viewport });
      await recordLayoutShifts(page);
      const releaseCount = await hold(page, /\/v1\/links\/count\?/);
      const releaseList = await hold(page, /\/v1\/links\?/);
      const placeholders = page.getByRole("main").locator(".animate-pulse");
      const list = page.getByRole("list", { name: "Links" });
      await page.goto(world.url("/links"));

      const loading = page.getByRole("region", { name: "Loading" });
      await loading.waitFor();
      const uncounted = {
        placeholders: await placeholders.count(),
        rows: await list.count(),
        top: await topOf(loading),
      };
      releaseCount();
      await page.getByText("6 links", { exact: true }).waitFor();
      const unloaded = { placeholders: await placeholders.count(), box: await list.boundingBox() };
      releaseList();
      await row(page, "held-1").waitFor();

      expect(uncounted.rows).toBe(0);
      expect(Math.min(uncounted.placeholders, unloaded.placeholders)).toBeGreaterThan(7);
      expect(await placeholders.count()).toBe(0);
      expect(await topOf(page.getByRole("main").locator("section").first())).toBe(uncounted.top);
      expect(await list.boundingBox()).toEqual(unloaded.box);
      expect(await layoutShiftOf(page)).toBeLessThan(layoutShiftMax);
      await page.context().close();
    },
    walkMsMax,
  );

  test(
    "placeholders are shown until totals, chart and cards have loaded, at the same positions",
    async () => {
      const page = await world.newPage({ viewport });
      await recordLayoutShifts(page);
      const releaseReports = await hold(page, /\/v1\/analytics/);
      const placeholders = page.getByRole("main").locator(".animate-pulse");
      const firstCard = page.getByRole("region", { name: "Links & destinations" });
      await page.goto(world.url("/analytics"));

      await firstCard.waitFor();
      const held = { placeholders: await placeholders.count(), top: await topOf(firstCard) };
      releaseReports();
      await page.getByRole("button", { name: /^Clicks 6\b/ }).waitFor();
      await firstCard.getByRole("button", { name: /^localhost.*\/held-1\b/ }).waitFor();
      await page.getByRole("slider", { name: /^Clicks over time/ }).waitFor();

      await placeholders.first().waitFor({ state: "detached" });
      expect(held.placeholders).toBeGreaterThan(20);
      expect(await topOf(firstCard)).toBe(held.top);
      expect(await layoutShiftOf(page)).toBeLessThan(layoutShiftMax);
      await page.context().close();
    },
    walkMsMax,
  );
});

test("no page had errors", () => {
  expect(world.pageErrors).toEqual([]);
});
