/**
 * Writes the documentation's pictures of the dashboard and of visitors' pages into docs/screenshots: `npm run screenshots`.
 * With `--into FOLDER`, it writes all pictures for a review, with dialogs and menus, in every view or in the `--language`
 * such as `de`. Parts of names (`npm run screenshots -- link domains`) select pictures.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser } from "./browser.ts";
import { openPageHost } from "./page-host.ts";
import {
  dashboardPictures,
  documentedPages,
  reviewedPictures,
  takePictures,
  writePicture,
} from "./pictures/take-pictures.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { into: { type: "string" }, language: { type: "string" } },
});
const folder = options.into ?? join(import.meta.dir, "../../docs/screenshots");
const isReview = options.into !== undefined || options.language !== undefined;
const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part));
const desktop = { width: 720, height: 460 };
const telephone = { width: 390, height: 640 };
const host = openPageHost();
const wrongPassword = ["/password-wrong"];

const english = { colorScheme: "light", viewport: desktop, locale: "en-US" } as const;

/** TABLE of the views of visitors' pages, by the suffixes of the pictures' names. */
const views = {
  light: { ...english, paths: host.paths },
  phone: { ...english, viewport: telephone, locale: "de-DE", paths: host.paths },
  ...(isReview && {
    dark: { ...english, colorScheme: "dark" as const, paths: host.paths },
    // There is no Chinese view: its font is not on every machine.
    de: { ...english, locale: "de-DE", paths: wrongPassword },
    es: { ...english, locale: "es-ES", paths: wrongPassword },
    fr: { ...english, locale: "fr-FR", paths: wrongPassword },
  }),
} as const;

mkdirSync(folder, { recursive: true });
await takeVisitorsPages();
const chosen = Object.entries(isReview ? reviewedPictures : dashboardPictures).filter(
  ([name]) => isWanted(name) && (isReview || documentedPages.includes(name)),
);
const isVisitorsPageWanted = host.paths.some((path) => isWanted(path.slice(1)));
if (chosen.length === 0 && !isVisitorsPageWanted) throw new Error(`No picture has a name with: ${wanted.join(", ")}`);
if (chosen.length > 0) {
  const set = isReview ? ({ kind: "review", locale: options.language } as const) : ({ kind: "documentation" } as const);
  await takePictures(folder, Object.fromEntries(chosen), set);
}

async function takeVisitorsPages(): Promise<void> {
  const browser = await openBrowser();
  for (const [name, { paths, ...view }] of Object.entries(views)) {
    const page = await browser.newPage(view);
    for (const path of paths.filter((each) => isWanted(each.slice(1)))) {
      await page.goto(`${host.origin}${path}`);
      await writePicture(page, join(folder, `${path.slice(1)}-${name}.png`));
    }
    await page.close();
  }
  await browser.close();
  await host.stop();
}
