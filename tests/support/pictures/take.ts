import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { entrancePages } from "./entrance.ts";
import { dashboardPages } from "./pages.ts";
import { dashboardWindows } from "./windows.ts";
import { openPictureView, openPictureWorld, type Pictured } from "./world.ts";

/** TABLE of the views by what the names of their pictures end with. */
const views: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 },
};

/** Everything of the dashboard whose pictures are kept. */
export const keptPictures = { ...entrancePages, ...dashboardPages, ...dashboardWindows };

/** Writes a picture of each page in each view into a folder. */
export async function takePictures(
  folder: string,
  pages: Record<string, Pictured> = keptPictures,
  locale = "en-US",
): Promise<void> {
  const world = await openPictureWorld();
  const browser = await openBrowser();
  try {
    for (const [view, options] of Object.entries(views)) {
      const pictures = await openPictureView(browser, world, { locale, ...options });
      for (const [name, pictured] of Object.entries(pages)) {
        const { page } = await pictures.open(pictured);
        await page.screenshot({ path: join(folder, `${name}-${view}.png`) });
        await page.close();
      }
      await pictures.close();
    }
  } finally {
    await browser.close();
    await world.close();
  }
}
