/**
 * A short walk in windows of three widths with visible scrollbars, whose faults are found in both themes: what people do
 * most often with links. Other files check each part in depth, mostly in one view.
 */
import { beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { linkAt, newLink, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";

const world = openWalks();
const Expiring = z.object({ expiresAt: z.string() });

const menu = { url: "https://example.com/menu", key: "menu", title: "תפריט הסתיו", comments: "For the poster" };

beforeAll(async () => {
  const { server } = world;
  const { body: folder } = await server.call("POST", "/folders", { body: { name: "Autumn" } });
  const { body: tag } = await server.call("POST", "/tags", { body: { name: "printed" } });
  await newLink(server, { ...menu, folderId: Object(folder).id, tagIds: [Object(tag).id] });
  await newLink(server, { url: "https://example.com/", key: "other" });
  await server.call("POST", "/domains", { body: { slug: "walked.example.com" } });
});

async function openWindow(width: number): Promise<Page> {
  const permissions = ["clipboard-read", "clipboard-write"];
  return await world.newPage({ viewport: { width, height: 800 }, timezoneId: "UTC", permissions });
}

async function countLinks(query: string): Promise<number> {
  return z.number().parse((await world.server.call("GET", `/links/count${query}`)).body);
}

async function isInside(page: Page, locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  return box !== null && box.x >= 0 && box.x + box.width <= width;
}

test.each(walkWidths)(
  "at %i pixels, links are created, found, changed and undone",
  async (width) => {
    const page = await openWindow(width);
    const key = `walked-${width}`;
    await page.goto(world.url("/links"));
    await row(page, "menu").waitFor();

    // The root link is neither listed nor counted, and titles follow their own direction.
    const [all, listed] = [await countLinks(""), await countLinks("?root=false")];
    await page.getByText(`${listed} links`, { exact: true }).first().waitFor();
    const rows = await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("checkbox") })
      .count();
    const direction = await row(page, "menu")
      .locator("[dir=auto]")
      .filter({ hasText: menu.title })
      .first()
      .getAttribute("dir");
    await page.getByRole("button", { name: "Create link" }).first().click();
    const drawer = page.getByRole("dialog", { name: "New link" });
    await drawer.getByRole("textbox", { name: "Destination" }).fill("https://example.com/walked");
    await drawer.getByRole("textbox", { name: "Slug" }).fill("menu");
    await drawer
      .getByText(/already|taken/i)
      .first()
      .waitFor();
    await drawer.getByRole("textbox", { name: "Slug" }).fill(key);
    await drawer.getByRole("button", { name: "A/B test", expanded: false }).click();
    await drawer.getByLabel("Destination B").fill("https://example.com/walked-b");
    await drawer.getByRole("button", { name: "UTM", expanded: false }).click();
    await drawer.getByLabel("Campaign").fill("spring");
    await drawer.getByRole("button", { name: "Expiry", expanded: false }).click();
    await drawer.getByLabel("Expires").fill("12/31/2099");
    const isDrawerInside = await isInside(page, drawer.getByRole("button", { name: "Create and copy" }));
    await drawer.getByRole("button", { name: "Create and copy" }).click();
    await page.getByText("Short link copied.").first().waitFor();

    await page.getByRole("searchbox").fill("printed");
    await row(page, key).waitFor({ state: "detached" });
    await row(page, "menu").waitFor();
    const faults = await faultsInBothThemes(page);
    await page.getByRole("searchbox").fill(key);
    await row(page, "menu").waitFor({ state: "detached" });
    await page.getByRole("button", { name: new RegExp(`^Actions for .*/${key}$`) }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await row(page, key).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, key).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("poster");
    await page.getByRole("option", { name: new RegExp(menu.title) }).waitFor();
    await page.keyboard.press("Escape");
    const { body } = await world.server.call("GET", `/links/info?domain=localhost&key=${key}`);
    await page.context().close();

    // The root links of two domains.
    expect({ rows, all, direction, isDrawerInside, faults }).toEqual({
      ...{ rows: listed, all: listed + 2, direction: "auto", isDrawerInside: true, faults: [] },
    });
    expect(Expiring.parse(body).expiresAt).toBe("2100-01-01T00:00:00.000Z");
    expect(Object(body).testVariants).toEqual(
      ["walked", "walked-b"].map((name) => ({
        url: `https://example.com/${name}?utm_campaign=spring`,
        percentage: 50,
      })),
    );
    expect((await linkAt(world.server, key))?.archived).toBe(false);
  },
  walkMsMax,
);
