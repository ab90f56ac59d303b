/**
 * Checks the pages and dialogs of the tables in tests/support/pictures with axe, full, empty and with errors: in a wide
 * viewport and in one of 360 pixels, in the languages with the shortest and the longest words. The dark theme differs
 * only in its colors, so these tests check only contrast there. All tests share one server and one browser.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { accessibilityErrorsOf, contrastErrorsOf, worldStartMsMax } from "../support/dashboard.ts";
import { localized } from "../support/pictures/localized.ts";
import { reviewedPictures } from "../support/pictures/take-pictures.ts";
import { eachOf, openPictureView } from "../support/pictures/view.ts";
import { openPictureWorld, type Picture, type PictureWorld } from "../support/pictures/world.ts";

/** Only ends a hanging test: on a busy machine, the pages take ten minutes. */
const viewportMsMax = 1_800_000;

/** TABLE of the viewports. */
const viewports: Record<string, BrowserContextOptions> = {
  "1280 pixels wide, in Chinese": { viewport: { width: 1280, height: 800 }, locale: "zh-CN" },
  "360 pixels wide, in German": { viewport: { width: 360, height: 740 }, locale: "de-DE" },
};

/** TABLE of the titles of error pages, with the entries that expect them. */
const errorPages: Record<string, string[]> = {
  "This page couldn’t be shown": ["script-missing"],
  "Waypost can’t be reached": [],
  "Page not found": ["dashboard-not-found", "workspace-gone", "sign-in-nothing"],
};

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

test.each(Object.entries(viewports))(
  "%s, every page is accessible in both themes, fits the width, and has no errors or requests to other hosts",
  async (_, options) => {
    const view = await openPictureView(browser, world, { ...options, colorScheme: "light" });
    const errors: string[] = [];
    const check = async (name: string, picture: Picture) => {
      const { page, pageErrors } = await view.open(picture);
      const inLight = await accessibilityErrorsOf(page);
      await page.emulateMedia({ colorScheme: "dark" });
      const inDark = await contrastErrorsOf(page);
      // The entry without its script reports that error.
      const unexpected = pageErrors.filter((text) => name !== "script-missing" || !text.includes("ScriptMissing"));
      const found = [...inLight, ...inDark, ...unexpected, ...(await errorPageMismatches(page, name))];
      errors.push(...found.map((error) => `${name}: ${error}`));
      await page.close();
    };

    await eachOf(reviewedPictures, check);
    await view.close();

    expect(errors).toEqual([]);
  },
  viewportMsMax,
);

/** Error titles that an entry shows unexpectedly, or lacks. */
async function errorPageMismatches(page: Page, name: string): Promise<string[]> {
  const errors: string[] = [];
  for (const [title, entries] of Object.entries(errorPages)) {
    const isShown = (await page.getByRole("heading", { name: localized(title) }).count()) > 0;
    if (isShown !== entries.includes(name)) errors.push(`${isShown ? "shows" : "does not show"} “${title}”`);
  }
  return errors;
}
