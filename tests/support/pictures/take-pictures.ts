import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { confirmDialogs } from "./confirm-dialogs.ts";
import { dashboardDialogs } from "./dialogs.ts";
import { menus } from "./menus.ts";
import { dashboardPages } from "./pages.ts";
import { signInPages } from "./sign-in-pages.ts";
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

/** TABLE of the views for pictures in all languages. */
const languageViews: Record<string, BrowserContextOptions> = {
  de: { colorScheme: "light", viewport: desktop, locale: "de-DE" },
  zh: { colorScheme: "light", viewport: desktop, locale: "zh-CN" },
};

/** All pictures of the dashboard, for a review: pages, dialogs and menus. */
export const dashboardPictures: Record<string, Picture> = {
  ...signInPages,
  ...dashboardPages,
  ...dashboardDialogs,
  ...confirmDialogs,
  ...menus,
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
    if (set.kind === "review") return isTakenInAllLanguages === true || Object.hasOwn(views, view);
    return Object.hasOwn(views, view) && (view !== "dark" || darkPages.includes(name));
  };
  const world = await openPictureWorld();
  const browser = await openBrowser();
  try {
    for (const [view, options] of Object.entries({ ...views, ...(locale === undefined && languageViews) })) {
      const chosen = Object.entries(pages).filter(([name, picture]) => isTaken(name, picture, view));
      if (chosen.length === 0) continue;
      const pictures = await openPictureView(browser, world, { locale: locale ?? "en-US", ...options });
      await eachOf(Object.fromEntries(chosen), async (name, picture) => {
        const { page } = await pictures.open(picture);
        await page.screenshot({ path: join(folder, `${name}-${view}.png`) });
        await page.close();
      });
      await pictures.close();
    }
  } finally {
    await browser.close();
    await world.close();
  }
}
