/** Checks what moves, fades or wraps on pages with visible scrollbars, which take space in most browsers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { worldStartMsMax } from "../support/dashboard.ts";
import { openPictureView } from "../support/pictures/view.ts";
import { openPictureWorld, type PictureWorld } from "../support/pictures/world.ts";

let world: PictureWorld;
let browser: Browser;
beforeAll(async () => {
  world = await openPictureWorld();
  browser = await openBrowser();
}, worldStartMsMax);
afterAll(async () => {
  await browser.close();
  await world.close();
});

test("the content does not shift when a page needs no scrollbar, a dialog opens, or a drawer begins to scroll", async () => {
  const view = await openPictureView(browser, world, { viewport: { width: 1440, height: 700 }, locale: "en-US" });
  const edgesOf = async (page: Page) =>
    await page.locator("main").evaluate((main) => {
      const { left, right } = main.getBoundingClientRect();
      return { left, right };
    });

  const { page } = await view.open({ path: "/w/1/links" });
  const long = await edgesOf(page);
  await page.getByRole("button", { name: "Create link" }).first().click();
  await page.getByRole("dialog").waitFor();
  const behindDialog = await edgesOf(page);
  const field = page.getByRole("dialog").getByLabel("Destination").first();
  const inDrawer = await field.boundingBox();
  for (const chip of ["UTM", "Expiry"]) await page.getByRole("button", { name: chip, exact: true }).click();
  await page.getByRole("dialog").getByLabel("Active from").waitFor();
  const inLongDrawer = await field.boundingBox();
  await page.goto(new URL("/app/w/1/links?search=nothing-has-this", page.url()).href);
  await page.getByText("No links found").waitFor();
  const short = await edgesOf(page);
  await page.getByRole("button", { name: "Create link" }).first().click();
  await page.getByRole("dialog").waitFor();
  const shortBehindDialog = await edgesOf(page);
  await view.close();

  expect({ behindDialog, short, shortBehindDialog }).toEqual({
    behindDialog: long,
    short: long,
    shortBehindDialog: long,
  });
  expect(inLongDrawer?.width).toBe(inDrawer?.width);
});

test.each(["en-US", "de-DE"])(
  "the controls of analytics are in one row in windows of every width (%s)",
  async (locale) => {
    const rows: number[] = [];
    for (const width of [390, 640, 768, 1024, 1440]) {
      const view = await openPictureView(browser, world, { viewport: { width, height: 900 }, locale });
      const { page } = await view.open({ path: "/w/1/analytics?interval=1y" });
      const header = page.locator("header").filter({ has: page.getByRole("heading", { level: 1 }) });
      const controls = await header.getByRole("button").filter({ visible: true }).all();
      const boxes = await Promise.all(controls.map((control) => control.boundingBox()));
      rows.push(new Set(boxes.map((box) => box && Math.round(box.y + box.height / 2))).size);
      await view.close();
    }

    expect(rows).toEqual([1, 1, 1, 1, 1]);
  },
);

test("on a phone, the last row of the list is clear of the button that creates a link", async () => {
  const view = await openPictureView(browser, world, { viewport: { width: 390, height: 844 }, locale: "en-US" });
  const { page } = await view.open({ path: "/w/1/links" });
  await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
  const last = page.locator("main li[data-row]").last();
  const count = Number(await last.getAttribute("aria-setsize"));
  await page.locator(`[data-row="${count - 1}"]`).waitFor();
  const row = await page.locator(`[data-row="${count - 1}"]`).boundingBox();
  const button = await page.getByRole("button", { name: "Create link" }).filter({ visible: true }).boundingBox();
  await view.close();

  expect((row?.y ?? Number.NaN) + (row?.height ?? 0)).toBeLessThan(button?.y ?? Number.NaN);
});

test("a row of tabs fades at the edge beyond which it continues", async () => {
  const view = await openPictureView(browser, world, { viewport: { width: 390, height: 844 }, locale: "en-US" });
  const { page } = await view.open({ path: "/w/1/analytics?interval=90d" });
  const tabs = page.getByRole("tablist").first();
  const edges = async () => ({
    before: await tabs.getAttribute("data-before"),
    after: await tabs.getAttribute("data-after"),
    isFaded: await page.evaluate("getComputedStyle(document.querySelector('[role=tablist]')).maskImage !== 'none'"),
  });

  const atFirst = await edges();
  await tabs.getByRole("tab").last().scrollIntoViewIfNeeded();
  await tabs.and(page.locator("[data-after=false]")).waitFor();
  const atLast = await edges();
  await view.close();

  expect(atFirst).toEqual({ before: "false", after: "true", isFaded: true });
  expect(atLast).toEqual({ before: "true", after: "false", isFaded: true });
});
