/**
 * The pages and the windows of the tables in tests/support/pictures, full, empty and with a mistake in them: in a wide
 * window and in one of 360 pixels, in the languages with the shortest and the longest words; the colors alone, which are
 * all that differs, in the dark theme too. One server and one browser serve all.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { accessibilityErrorsOf, contrastErrorsOf, worldStartMsMax } from "../support/dashboard.ts";
import { smallDialogs } from "../support/pictures/dialogs.ts";
import { localized } from "../support/pictures/localized.ts";
import { dashboardStates } from "../support/pictures/states.ts";
import { keptPictures } from "../support/pictures/take-pictures.ts";
import { eachOf, openPictureView } from "../support/pictures/view.ts";
import { openPictureWorld, type Picture, type PictureWorld } from "../support/pictures/world.ts";

const viewportMsMax = 360_000;

/** TABLE of the windows in which everything is looked at. */
const viewports: Record<string, BrowserContextOptions> = {
  "1280 pixels wide, in Chinese": { viewport: { width: 1280, height: 800 }, locale: "zh-CN" },
  "360 pixels wide, in German": { viewport: { width: 360, height: 740 }, locale: "de-DE" },
};

/** TABLE of what is shown in place of a page that failed or that is none, and for which entries that is meant. */
const substitutes: Record<string, string[]> = {
  "This page could not be shown": ["script-missing"],
  "Waypost cannot be reached": [],
  "There is no such page": ["dashboard-not-found", "workspace-gone"],
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
  "%s, none has a barrier, scrolls sideways, complains, or asks others, in either theme",
  async (_, options) => {
    const view = await openPictureView(browser, world, { ...options, colorScheme: "light" });
    const errors: string[] = [];
    const check = async (name: string, picture: Picture) => {
      const { page, pageErrors } = await view.open(picture);
      const inLight = await accessibilityErrorsOf(page);
      await page.emulateMedia({ colorScheme: "dark" });
      const inDark = await contrastErrorsOf(page);
      // The one page whose script is kept away says so.
      const unmeant = pageErrors.filter((text) => name !== "script-missing" || !text.includes("ScriptMissing"));
      const found = [...inLight, ...inDark, ...unmeant, ...(await substitutesIn(page, name))];
      errors.push(...found.map((error) => `${name}: ${error}`));
      await page.close();
    };

    await eachOf({ ...keptPictures, ...smallDialogs, ...dashboardStates }, check);
    await view.close();

    expect(errors).toEqual([]);
  },
  viewportMsMax,
);

/** A substitute that stands where the entry's page should, and one that is missing where it is the entry's page. */
async function substitutesIn(page: Page, name: string): Promise<string[]> {
  const errors: string[] = [];
  for (const [title, entries] of Object.entries(substitutes)) {
    const isShown = (await page.getByRole("heading", { name: localized(title) }).count()) > 0;
    if (isShown !== entries.includes(name)) errors.push(`${isShown ? "shows" : "does not show"} “${title}”`);
  }
  return errors;
}
