import type { BrowserContextOptions, Page, ViewportSize } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { accessibilityErrorsOf, contrastErrorsOf } from "../dashboard.ts";
import { overflowsOf } from "../overflows.ts";
import { localized } from "./localized.ts";
import { reviewedPictures } from "./take-pictures.ts";
import { eachOf, type OpenedPage, openPictureView } from "./view.ts";
import { openPictureWorld } from "./world.ts";

/** A test of all pages only ends when it hangs: on a busy machine, the pages take ten minutes. */
export const allPagesMsMax = 1_800_000;

/** A size of the window, and whether axe checks the page in it, which takes a second. */
type CheckedWindow = ViewportSize & { axe?: true };

const themes = ["light", "dark"] as const;

/** TABLE of the titles of error pages, with the entries that expect them. */
const errorPages: Record<string, string[]> = {
  "This page couldn’t be shown": ["script-missing"],
  "Waypost can’t be reached": [],
  "Page not found": ["dashboard-not-found", "workspace-gone", "sign-in-nothing"],
};

/**
 * What is wrong with the pages and dialogs of the tables in tests/support/pictures (full, empty and with errors), one
 * per line. Each page is opened in the first window, which takes most of the time, and then resized to the others. In
 * every window and both themes, nothing may scroll sideways or be cut. The dark theme differs only in its colors, so axe
 * checks only contrast there.
 */
export async function errorsOfPages(
  windows: readonly [CheckedWindow, ...CheckedWindow[]],
  options: Pick<BrowserContextOptions, "locale" | "hasTouch">,
): Promise<string[]> {
  const world = await openPictureWorld();
  const browser = await openBrowser();
  try {
    const view = await openPictureView(browser, world, { ...options, viewport: windows[0], colorScheme: "light" });
    const errors: string[] = [];
    await eachOf(reviewedPictures, async (name, picture) => {
      const opened = await view.open(picture);
      const found = await errorsOfPage(opened, name, windows);
      errors.push(...found.map((error) => `${name}: ${error}`));
      await opened.page.close();
    });
    return errors;
  } finally {
    await browser.close();
    await world.close();
  }
}

async function errorsOfPage(
  { page, pageErrors }: OpenedPage,
  name: string,
  windows: readonly CheckedWindow[],
): Promise<string[]> {
  const errors: string[] = [];
  for (const window of windows) {
    await page.setViewportSize(window);
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      errors.push(...(await errorsIn(page, window, colorScheme)));
    }
  }
  // The entry without its script reports that error.
  const unexpected = pageErrors.filter((text) => name !== "script-missing" || !text.includes("ScriptMissing"));
  return [...errors, ...unexpected, ...(await errorPageMismatches(page, name))];
}

async function errorsIn(page: Page, { width, axe }: CheckedWindow, theme: (typeof themes)[number]): Promise<string[]> {
  const errors = await settledOverflowsOf(page);
  if (axe) errors.push(...(await (theme === "light" ? accessibilityErrorsOf(page) : contrastErrorsOf(page))));
  return errors.map((error) => `${width} pixels, ${theme}: ${error}`);
}

/** How long the page may take to fit a new size: charts are drawn again in a later frame. */
const resizingMsMax = 5_000;

async function settledOverflowsOf(page: Page): Promise<string[]> {
  const end = performance.now() + resizingMsMax;
  let errors = await overflowsOf(page);
  while (errors.length > 0 && performance.now() < end) {
    await page.evaluate("new Promise(requestAnimationFrame)");
    errors = await overflowsOf(page);
  }
  return errors;
}

/** Error titles that an entry shows unexpectedly, or lacks. */
async function errorPageMismatches(page: Page, name: string): Promise<string[]> {
  const errors: string[] = [];
  for (const [title, entries] of Object.entries(errorPages)) {
    const isShown = (await page.getByRole("heading", { name: localized(title) }).count()) > 0;
    if (isShown !== entries.includes(name)) errors.push(`${isShown ? "shows" : "does not show"} “${title}”`);
  }
  return errors;
}
