import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** The names of the system's browser, best first. */
const systemNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * A real browser: the system's Chromium, or the one inside an npm package where the system has none.
 * Throws when neither starts; there is no test of a page without it.
 */
export async function openBrowser(): Promise<Browser> {
  const system = systemNames.map((name) => Bun.which(name)).find((path) => path !== null);
  // Containers run as root, whose Chromium takes no sandbox; every page it opens here is our own.
  if (system !== undefined) return await chromium.launch({ executablePath: system, args: ["--no-sandbox"] });
  return await chromium.launch({ executablePath: await sparticuz.executablePath(), args: sparticuz.args });
}
