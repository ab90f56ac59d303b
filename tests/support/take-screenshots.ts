/** Writes pictures of the pages for visitors and of the dashboard into docs/screenshots: `npm run screenshots`. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./browser.ts";
import { openPageHost } from "./page-host.ts";
import { takePictures } from "./pictures/take.ts";

const folder = join(import.meta.dir, "../../docs/screenshots");
const desktop = { width: 720, height: 460 };
const telephone = { width: 360, height: 640 };
const host = openPageHost();
const mistake = ["/password-wrong"];

/** TABLE of the pictures of each page, by what their names end with. */
const views = {
  light: { colorScheme: "light", viewport: desktop, locale: "en-US", paths: host.paths },
  dark: { colorScheme: "dark", viewport: desktop, locale: "en-US", paths: host.paths },
  360: { colorScheme: "light", viewport: telephone, locale: "de-DE", paths: host.paths },
  // No Chinese one: its characters need a font that not every machine has.
  de: { colorScheme: "light", viewport: desktop, locale: "de-DE", paths: mistake },
  es: { colorScheme: "light", viewport: desktop, locale: "es-ES", paths: mistake },
  fr: { colorScheme: "light", viewport: desktop, locale: "fr-FR", paths: mistake },
} as const;

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
for (const [name, { paths, ...options }] of Object.entries(views)) {
  const page = await browser.newPage(options);
  for (const path of paths) {
    await page.goto(`${host.origin}${path}`);
    await page.screenshot({ path: join(folder, `${path.slice(1)}-${name}.png`) });
  }
  await page.close();
}
await browser.close();
await host.stop();
await takePictures(folder);
