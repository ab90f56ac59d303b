import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { accountPictures } from "./account-pictures.ts";
import { confirmDialogs } from "./confirm-dialogs.ts";
import { dashboardDialogs, smallDialogs } from "./dialogs.ts";
import { menus } from "./menus.ts";
import { dashboardPages } from "./pages.ts";
import { signInPages } from "./sign-in-pages.ts";
import { dashboardStates } from "./states.ts";
import { eachOf, openPictureView } from "./view.ts";
import { openPictureWorld, type Picture } from "./world.ts";

const desktop = { width: 1440, height: 900 };
const telephone = { width: 390, height: 844 };

/** TABLE of the views, by the suffixes of the pictures' names. */
const views: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light", viewport: desktop },
  phone: { colorScheme: "light", viewport: telephone },
  dark: { colorScheme: "dark", viewport: desktop },
};

/** The dark theme on a phone, which only reviews show. */
const reviewedViews: Record<string, BrowserContextOptions> = {
  "phone-dark": { colorScheme: "dark", viewport: telephone },
};

/** TABLE of the views for pictures in all languages. */
const languageViews: Record<string, BrowserContextOptions> = {
  de: { colorScheme: "light", viewport: desktop, locale: "de-DE" },
  zh: { colorScheme: "light", viewport: desktop, locale: "zh-CN" },
};

/** The pictures of the dashboard: pages, large dialogs and menus. */
export const dashboardPictures: Record<string, Picture> = {
  ...signInPages,
  ...dashboardPages,
  ...dashboardDialogs,
  ...confirmDialogs,
  ...menus,
};

/** All that a review shows: the small dialogs and states, too. */
export const reviewedPictures: Record<string, Picture> = {
  ...dashboardPictures,
  ...smallDialogs,
  ...dashboardStates,
  ...accountPictures,
};

/** The pages whose pictures are part of the documentation: wide and on a phone. */
export const documentedPages: readonly string[] = [
  ...Object.keys(dashboardPages),
  ...["dashboard-link-drawer", "dashboard-link-qr", "sign-in-set-up", "sign-in-invite"],
];

/** The documented pages with a dark picture, too. */
const darkPages: readonly string[] = [
  ...["dashboard-sign-in", "dashboard-links", "dashboard-link-drawer"],
  ...["dashboard-analytics", "dashboard-domain", "dashboard-share"],
];

/** What is pictured: for a review everything in every view, or in one language; for the documentation a selection. */
type PictureSet = { kind: "review"; locale: string | undefined } | { kind: "documentation" };

/** Writes pictures of pages into a folder. */
export async function takePictures(folder: string, pages: Record<string, Picture>, set: PictureSet): Promise<void> {
  const locale = set.kind === "review" ? set.locale : undefined;
  const isTaken = (name: string, { isTakenInAllLanguages }: Picture, view: string): boolean => {
    if (set.kind === "review") return isTakenInAllLanguages === true || !Object.hasOwn(languageViews, view);
    return Object.hasOwn(views, view) && (view !== "dark" || darkPages.includes(name));
  };
  const world = await openPictureWorld();
  const browser = await openBrowser();
  try {
    const reviewed = set.kind === "review" && { ...reviewedViews, ...(locale === undefined && languageViews) };
    for (const [view, options] of Object.entries({ ...views, ...reviewed })) {
      const chosen = Object.entries(pages).filter(([name, picture]) => isTaken(name, picture, view));
      if (chosen.length === 0) continue;
      const pictures = await openPictureView(browser, world, { locale: locale ?? "en-US", ...options });
      await eachOf(Object.fromEntries(chosen), async (name, picture) => {
        const { page } = await pictures.open(picture);
        await writePicture(page, join(folder, `${name}-${view}.png`));
        await page.close();
      });
      await pictures.close();
    }
  } finally {
    await browser.close();
    await world.close();
  }
}

/** On a busy machine, Chromium sometimes fails with "Unable to capture screenshot"; the next attempt succeeds. */
const attemptsMax = 4;
const retryPauseMs = 500;

/** Writes a picture of an open page into a file. Throws after a few failed attempts. */
export async function writePicture(page: Page, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await page.screenshot({ path });
      return;
    } catch (error) {
      if (attempt === attemptsMax) throw error;
      await Bun.sleep(retryPauseMs * attempt);
    }
  }
}
