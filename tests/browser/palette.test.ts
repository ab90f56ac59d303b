/** The palette's selection while links load, in a real browser. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

/** Opens the palette and searches for `text`; returns the function that lets the found links arrive. */
async function openWithPendingLinks(page: Page, text: string) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  await page.route("**/v1/links?search=*", async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto(world.url("/domains"));
  await page.getByRole("heading", { name: "Domains" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(text);
  await page.getByText("Searching").waitFor();
  return arrive;
}

const selected = (page: Page) => page.locator("[role=option][aria-selected=true]");

test(
  "Enter opens a link that arrives above the pages",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/a", key: "sec-harbour" } });
    const page = await world.newPage();
    const arrive = await openWithPendingLinks(page, "sec");
    await selected(page).getByText("Security").waitFor();

    arrive();
    await page.getByRole("option", { name: /sec-harbour/ }).waitFor();
    await selected(page)
      .getByText(/sec-harbour/)
      .waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(/links\?search=.*sec-harbour/);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a moved selection stays when links arrive above it",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/b", key: "set-harbour" } });
    const page = await world.newPage();
    const arrive = await openWithPendingLinks(page, "set");
    await page.keyboard.press("ArrowDown");
    const moved = await selected(page).innerText();

    arrive();
    await page.getByRole("option", { name: /set-harbour/ }).waitFor();

    expect(await page.getByRole("option").first().innerText()).toContain("set-harbour");
    expect(await selected(page).allInnerTexts()).toEqual([moved]);
  },
  walkMsMax,
);
