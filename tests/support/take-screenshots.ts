/**
 * Writes pictures of the dashboard and of visitors' pages into docs/screenshots: `npm run screenshots`. Parts of names
 * (`npm run screenshots -- link domains`) select pictures; `--into` sets another folder, and `--language` another
 * language of the dashboard, such as `de`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser } from "./browser.ts";
import { openPageHost } from "./page-host.ts";
import { dashboardPictures, takePictures } from "./pictures/take-pictures.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { into: { type: "string" }, language: { type: "string" } },
});
const folder = options.into ?? join(import.meta.dir, "../../docs/screenshots");
const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part));
const desktop = { width: 720, height: 460 };
const telephone = { width: 360, height: 640 };
const host = openPageHost();
const wrongPassword = ["/password-wrong"];

/** TABLE of the views, by the suffixes of the pictures' names. */
const views = {
  light: { colorScheme: "light", viewport: desktop, locale: "en-US", paths: host.paths },
  dark: { colorScheme: "dark", viewport: desktop, locale: "en-US", paths: host.paths },
  360: { colorScheme: "light", viewport: telephone, locale: "de-DE", paths: host.paths },
  // There is no Chinese view: its font is not on every machine.
  de: { colorScheme: "light", viewport: desktop, locale: "de-DE", paths: wrongPassword },
  es: { colorScheme: "light", viewport: desktop, locale: "es-ES", paths: wrongPassword },
  fr: { colorScheme: "light", viewport: desktop, locale: "fr-FR", paths: wrongPassword },
} as const;

mkdirSync(folder, { recursive: true });
await takeVisitorsPages();
const pages = Object.fromEntries(Object.entries(dashboardPictures).filter(([name]) => isWanted(name)));
if (Object.keys(pages).length > 0) await takePictures(folder, pages, options.language);

async function takeVisitorsPages(): Promise<void> {
  const browser = await openBrowser();
  for (const [name, { paths, ...view }] of Object.entries(views)) {
    const page = await browser.newPage(view);
    for (const path of paths.filter((each) => isWanted(each.slice(1)))) {
      await page.goto(`${host.origin}${path}`);
      await page.screenshot({ path: join(folder, `${path.slice(1)}-${name}.png`) });
    }
    await page.close();
  }
  await browser.close();
  await host.stop();
}
