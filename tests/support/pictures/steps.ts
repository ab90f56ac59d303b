import type { Locator, Page } from "playwright-core";
import { localized } from "./localized.ts";

/** The open dialog. */
export function dialog(page: Page): Locator {
  return page.getByRole("dialog");
}

/** Waits for a dialog and its data. */
export async function opened(page: Page): Promise<void> {
  await dialog(page).first().waitFor();
  await page.waitForLoadState("networkidle");
}

/** Clicks the first button with this name or English label, and waits for its dialog. */
export async function choose(page: Page, button: string | RegExp): Promise<void> {
  await press(page, button);
  await opened(page);
}

/** Clicks the first button with this name or English label. */
export async function press(within: Page | Locator, button: string | RegExp): Promise<void> {
  const name = typeof button === "string" ? localized(button) : button;
  await within.getByRole("button", { name }).first().click();
}

/** Opens a menu by its button, and waits for it. */
export async function openMenu(page: Page, button: string | RegExp): Promise<void> {
  await press(page, button);
  await page.getByRole("menu").waitFor();
}

/** Chooses a menu item, and waits for its dialog. */
export async function chooseInMenu(page: Page, button: string | RegExp, item: string): Promise<void> {
  await openMenu(page, button);
  await page.getByRole("menuitem", { name: localized(item) }).click();
  await opened(page);
}

/** Chooses a control of the analytics page, which is in a menu on a phone, and waits for its dialog. */
export async function chooseInReport(page: Page, control: string): Promise<void> {
  if (await hasReportMenu(page)) await chooseInMenu(page, "More", control);
  else await choose(page, control);
}

/** Opens what the analytics page counts: a panel, or the menu of a phone. */
export async function openCounted(page: Page): Promise<void> {
  if (await hasReportMenu(page)) await openMenu(page, "More");
  else await choose(page, "Bots");
}

/** Turns the live clicks of the analytics page on, which is in a menu on a phone. */
export async function showLiveClicks(page: Page): Promise<void> {
  if (!(await hasReportMenu(page))) return await press(page, "Live");
  await openMenu(page, "More");
  await page.getByRole("menuitemcheckbox", { name: localized("Live") }).click();
  await page.keyboard.press("Escape");
}

async function hasReportMenu(page: Page): Promise<boolean> {
  return await page
    .getByRole("button", { name: localized("More") })
    .first()
    .isVisible();
}

/** Opens the calendar of the dialog's first date field. */
export async function openCalendar(page: Page): Promise<void> {
  await press(dialog(page), "Open calendar");
  await page.getByRole("grid").waitFor();
}

/** Selects the first links of the list. */
export async function selectLinks(page: Page): Promise<void> {
  for (const row of [0, 1]) await page.locator(`[data-row='${row}']`).getByRole("checkbox").click({ force: true });
  // The actions are loaded with the first selection.
  await page.getByRole("button", { name: localized("Delete"), exact: true }).waitFor();
}

/** Selects links, and opens the dialog of an action on them. */
export async function chooseForSelected(page: Page, action: string): Promise<void> {
  await selectLinks(page);
  await choose(page, action);
}
