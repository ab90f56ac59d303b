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

const desktop = { width: 1280, height: 800 };
const telephone = { width: 360, height: 740 };

/** TABLE of the views, by the suffixes of the pictures' names. */
const views: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light", viewport: desktop },
  dark: { colorScheme: "dark", viewport: desktop },
  phone: { colorScheme: "light", viewport: telephone, deviceScaleFactor: 2 },
};

/** TABLE of the views for pictures in all languages. */
const languageViews: Record<string, BrowserContextOptions> = {
  de: { colorScheme: "light", viewport: desktop, locale: "de-DE" },
  zh: { colorScheme: "light", viewport: desktop, locale: "zh-CN" },
};

/** All pictures of the dashboard that `npm run screenshots` writes. */
export const dashboardPictures: Record<string, Picture> = {
  ...signInPages,
  ...dashboardPages,
  ...dashboardDialogs,
  ...confirmDialogs,
  ...menus,
};

/** Writes pictures of pages in each view into a folder. With a locale, it takes them in that language only. */
export async function takePictures(
  folder: string,
  pages: Record<string, Picture>,
  locale: string | undefined,
): Promise<void> {
  const world = await openPictureWorld();
  const browser = await openBrowser();
  try {
    for (const [view, options] of Object.entries({ ...views, ...(locale === undefined && languageViews) })) {
      const chosen = Object.entries(pages).filter(
        ([, { isTakenInAllLanguages }]) => isTakenInAllLanguages || Object.hasOwn(views, view),
      );
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
