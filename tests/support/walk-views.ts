import type { Page } from "playwright-core";
import { accessibilityErrorsOf } from "./dashboard.ts";
import { overflowsOf } from "./overflows.ts";

/** The widths of a walk's windows in pixels: a large screen, a small laptop and a phone. */
export const walkWidths = [1440, 1024, 390] as const;

const themes = ["light", "dark"] as const;

/**
 * What is wrong with a page at its current width, in the light and in the dark theme: violations that axe finds,
 * overflowing boxes, and a theme that does not follow the system. The page is in the light theme afterwards.
 */
export async function faultsInBothThemes(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    const found = [...(await accessibilityErrorsOf(page)), ...(await overflowsOf(page))];
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  return faults;
}
