import type { Locator, Page } from "playwright-core";
import { localized } from "./localized.ts";

/** The window that is open. */
export function dialog(page: Page): Locator {
  return page.getByRole("dialog");
}

/** Waits for a window, and for what it loads. */
export async function opened(page: Page): Promise<void> {
  await dialog(page).first().waitFor();
  await page.waitForLoadState("networkidle");
}

/** Presses the first button of that name, or of the English words on it, and waits for the window that it opens. */
export async function choose(page: Page, button: string | RegExp): Promise<void> {
  await press(page, button);
  await opened(page);
}

/** Presses the first button of that name, or of the English words on it. */
export async function press(within: Page | Locator, button: string | RegExp): Promise<void> {
  const name = typeof button === "string" ? localized(button) : button;
  await within.getByRole("button", { name }).first().click();
}

/** Opens a menu by its button, and waits for it. */
export async function openMenu(page: Page, button: string | RegExp): Promise<void> {
  await press(page, button);
  await page.getByRole("menu").waitFor();
}

/** Chooses something in a menu, and waits for the window that it opens. */
export async function chooseInMenu(page: Page, button: string | RegExp, item: string): Promise<void> {
  await openMenu(page, button);
  await page.getByRole("menuitem", { name: localized(item) }).click();
  await opened(page);
}

/** Opens the calendar of the first field for a day or a moment in the window. */
export async function openCalendar(page: Page): Promise<void> {
  await press(dialog(page), "Choose in a calendar");
  await page.getByRole("grid").waitFor();
}

/** Selects the first links of the list. */
export async function selectLinks(page: Page): Promise<void> {
  for (const row of [0, 1]) await page.locator(`[data-row='${row}']`).getByRole("checkbox").click({ force: true });
}

/** Selects links, and opens the window that asks about them. */
export async function chooseOfSelected(page: Page, act: string): Promise<void> {
  await selectLinks(page);
  await choose(page, act);
}
