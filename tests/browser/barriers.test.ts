/**
 * Every page and window of the dashboard, full, empty and with a mistake in it: in both themes, in a wide window and in
 * one of 360 pixels, in the languages with the shortest and the longest words. One server and one browser serve all.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { colorMistakesOf, mistakesOf, worldStartMsMax } from "../support/dashboard.ts";
import { dashboardStates } from "../support/pictures/states.ts";
import { keptPictures } from "../support/pictures/take.ts";
import { smallWindows } from "../support/pictures/windows.ts";
import { openPictureView, openPictureWorld, type Pictured, type PictureWorld } from "../support/pictures/world.ts";

const windowMsMax = 360_000;
/** They wait for the server much of the time. */
const pagesAtOnce = 3;

/** TABLE of the windows in which everything is looked at. */
const windows: Record<string, BrowserContextOptions> = {
  "1280 pixels wide, in Chinese": { viewport: { width: 1280, height: 800 }, locale: "zh-CN" },
  "360 pixels wide, in German": { viewport: { width: 360, height: 740 }, locale: "de-DE" },
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

test.each(Object.entries(windows))(
  "%s, none has a barrier, scrolls sideways, complains, or asks others, in either theme",
  async (_, options) => {
    const view = await openPictureView(browser, world, { ...options, colorScheme: "light" });
    const mistakes: string[] = [];
    const look = async ([name, pictured]: [string, Pictured]) => {
      const page = await view.open(pictured);
      const inLight = await mistakesOf(page);
      await page.emulateMedia({ colorScheme: "dark" });
      const inDark = await colorMistakesOf(page);
      mistakes.push(...[...inLight, ...inDark].map((mistake) => `${name}: ${mistake}`));
      await page.close();
    };

    const waiting = Object.entries({ ...keptPictures, ...smallWindows, ...dashboardStates });
    const lookAtNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await look(next);
    };
    await Promise.all(Array.from({ length: pagesAtOnce }, lookAtNext));
    await view.close();

    // The one page whose script is kept away says so.
    const complaints = view.complaints.filter((complaint) => !complaint.includes("ScriptMissing"));
    expect({ mistakes, complaints }).toEqual({ mistakes: [], complaints: [] });
  },
  windowMsMax,
);
