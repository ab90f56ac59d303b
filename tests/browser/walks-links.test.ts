/**
 * Walks through the list of links, the drawer and QR codes, in windows of three widths with visible scrollbars. Each walk
 * ends with the faults of the page in both themes. Other files check each part in depth, mostly in one view.
 */
import { beforeAll, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import type { Locator, Page } from "playwright-core";
import { PNG } from "pngjs";
import { z } from "zod";
import { newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { bytesOf, choose, decodePng, scannedText } from "../support/qr-files.ts";
import { eventually } from "../support/server.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";

const world = openWalks();
const Created = z.object({ id: z.string() });
const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };
const menu = { url: "https://example.com/menu", key: "menu", title: "Autumn menu", comments: "For the big poster" };
const logoColor = [200, 30, 30];

beforeAll(async () => {
  const { server } = world;
  const folderId = await newFolder("Campaigns");
  const { id: tagId } = Created.parse((await server.call("POST", "/tags", { body: { name: "printed" } })).body);
  await newLink(server, { ...menu, folderId, tagIds: [tagId] });
  await newLink(server, { url: "https://example.com/", key: "other", title: "Another page" });
  const { status } = await server.call("PATCH", "/domains/localhost", { body: { logo: logoUrl() } });
  if (status !== 200) throw new Error("The logo was refused.");
});

async function newFolder(name: string): Promise<string> {
  return Created.parse((await world.server.call("POST", "/folders", { body: { name } })).body).id;
}

async function openWindow(width: number): Promise<Page> {
  return await world.newPage({ viewport: { width, height: 800 }, timezoneId: "UTC", ...clipboard });
}

/** Opens the list with the link of the menu at its top. */
async function openLinks(page: Page): Promise<void> {
  await page.goto(world.url("/links?order=oldest"));
  await row(page, "menu").waitFor();
}

/** An image of one color. */
function logoUrl(): string {
  const image = new PNG({ width: 32, height: 32 });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([...logoColor, 255], at);
  return `data:image/png;base64,${PNG.sync.write(image).toString("base64")}`;
}

/** Searches the list, and waits for the one link that is found. */
async function search(page: Page, text: string, found: { is: string; isNot: string }): Promise<void> {
  await page.getByRole("searchbox", { name: "Search links" }).fill(text);
  await row(page, found.isNot).waitFor({ state: "detached" });
  await row(page, found.is).waitFor();
}

test.each(walkWidths)(
  "at %i pixels, list and palette find a link by its title, tag, comment and folder, and show its title first",
  async (width) => {
    const page = await openWindow(width);
    await openLinks(page);
    const texts = ["autumn men", "printed", "big poster", "campaigns"];

    for (const text of texts) {
      await search(page, text, { is: "menu", isNot: "other" });
      await search(page, "another page", { is: "other", isNot: "menu" });
    }
    await search(page, "printed", { is: "menu", isNot: "other" });
    // An icon can be a single letter.
    const lines = (await row(page, "menu").innerText()).split("\n").filter((line) => line.trim().length > 1);
    const faults = await faultsInBothThemes(page);
    await page.getByRole("button", { name: /^Search/ }).click();
    const palette = page.getByRole("dialog").getByRole("combobox");
    for (const text of texts) {
      await palette.fill(text);
      await page.getByRole("option", { name: /^Autumn menu/ }).waitFor();
      await palette.fill("another page");
      await page.getByRole("option", { name: /^Autumn menu/ }).waitFor({ state: "detached" });
    }
    faults.push(...(await faultsInBothThemes(page)));
    await page.context().close();

    expect(lines[0]).toBe("Autumn menu");
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** Opens the filters of a phone. */
async function openFilters(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: /^Filter/ }).click();
  return page.getByRole("dialog", { name: "Filter" });
}

test.each(walkWidths)(
  "at %i pixels, folders and saved views show their links, beside the list or on a phone in its filter",
  async (width) => {
    const name = `Folder at ${width}`;
    const folderId = await newFolder(name);
    const keys = [`a-${width}`, `b-${width}`];
    for (const key of keys) await newLink(world.server, { url: "https://example.com/", key, folderId });
    const page = await openWindow(width);
    await openLinks(page);
    const folders = page.getByRole("navigation", { name: "Folders" });
    const views = page.getByRole("navigation", { name: "Saved views" });
    const isPhone = width < 768;

    if (isPhone) {
      await (await openFilters(page)).getByLabel("Folder").selectOption(name);
      await page.keyboard.press("Escape");
    } else await folders.getByRole("link", { name: `${name} 2` }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(`View at ${width}`);
    await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const faults = await faultsInBothThemes(page);
    await openLinks(page);
    if (isPhone) {
      await (await openFilters(page)).getByLabel("Saved views").selectOption(`View at ${width}`);
      await page.getByText("2 links", { exact: true }).waitFor();
      faults.push(...(await faultsInBothThemes(page)));
    } else await views.getByRole("link", { name: `View at ${width}` }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    for (const key of keys) await row(page, key).waitFor();
    await page.context().close();

    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** True when the element is whole inside the window. */
async function isInWindow(page: Page, locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
}

test.each(walkWidths)(
  "at %i pixels, the drawer takes the page's title, reports a taken slug, opens options by chips, keeps the QR code in sight, and copies the new link",
  async (width) => {
    const page = await openWindow(width);
    const key = `made-${width}`;
    await page.route("**/v1/metatags?*", (route) => route.fulfill({ json: { title: "Title of the page" } }));
    await openLinks(page);
    await page.getByRole("button", { name: "Create link" }).first().click();
    const drawer = page.getByRole("dialog", { name: "New link" });
    const options = drawer.getByRole("group", { name: "Options" });
    await options.getByRole("button", { name: "More" }).waitFor();
    const chips = (await options.getByRole("button").allInnerTexts()).map((text) => text.trim());

    await drawer.getByRole("textbox", { name: "Destination" }).fill("https://example.com/made");
    await eventually(
      () => drawer.getByLabel("Title").inputValue(),
      (title) => title === "Title of the page",
    );
    const slug = drawer.getByRole("textbox", { name: "Slug" });
    await slug.fill("menu");
    await drawer.getByText("“menu” is taken on this domain.").waitFor();
    const faults = await faultsInBothThemes(page);
    await slug.fill(key);
    await drawer.getByText("is taken").waitFor({ state: "detached" });
    for (const chip of ["UTM", "Password", "Expiry", "Tags", "Folder"]) {
      await options.getByRole("button", { name: chip, exact: true }).click();
    }
    await drawer.getByLabel("Campaign").fill("spring");
    await drawer.getByLabel("Password").fill("open sesame");
    await drawer.getByLabel("Expires").fill("12/31/2099");
    await drawer.getByRole("combobox", { name: "Tags" }).fill("printed");
    await drawer.getByRole("option", { name: "printed", exact: true }).click();
    await drawer.getByLabel("Folder", { exact: true }).selectOption("Campaigns");
    const code = drawer.getByRole("img", { name: new RegExp(`${key}$`) }).filter({ visible: true });
    await code.waitFor();
    const preview = drawer.getByText(`/${key}`, { exact: true }).filter({ visible: true });
    const seen = { code: await isInWindow(page, code), link: await isInWindow(page, preview) };
    faults.push(...(await faultsInBothThemes(page)));
    await drawer.getByRole("button", { name: "Create and copy" }).click();
    await page.getByText("Short link copied.").first().waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    await page.context().close();

    const { body } = await world.server.call("GET", `/links/info?domain=localhost&key=${key}`);
    expect(chips).toEqual(["UTM", "Password", "Expiry", "Tags", "Folder", "A/B test", "Comment", "More"]);
    expect(seen).toEqual({ code: true, link: true });
    expect(body).toMatchObject({
      ...{ shortLink: copied, url: "https://example.com/made?utm_campaign=spring", title: "Title of the page" },
      ...{ password: "********", expiresAt: "2100-01-01T00:00:00.000Z", tags: [{ name: "printed" }] },
    });
    expect(Object(body).folderId).not.toBeNull();
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** The color in the middle of a code, where its logo is. */
async function middleOf(code: Locator): Promise<number[]> {
  const { width, height, data } = PNG.sync.read(await code.screenshot());
  const middle = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
  return [...data.subarray(middle, middle + 3)];
}

test.each(walkWidths)(
  "at %i pixels, a QR code gets dots, a frame with a text and the logo, and is saved as SVG, PNG and a PDF to print",
  async (width) => {
    const page = await openWindow(width);
    const key = `coded-${width}`;
    const { id } = await newLink(world.server, { url: "https://example.com/", key });
    await page.goto(world.url(`/links?qr=${id}`));
    const dialog = page.getByRole("dialog", { name: "QR code" });
    const code = dialog.getByRole("img", { name: new RegExp(`${key}$`) });
    await code.waitFor();
    const save = async (format: string, size?: string) => {
      await choose(dialog, "Format", format);
      if (size !== undefined) await dialog.getByLabel("Width").selectOption(size);
      const button = dialog.getByRole("link", { name: `Download ${format}` });
      return await Promise.all([page.waitForEvent("download"), button.click()]).then(([saved]) => bytesOf(saved));
    };
    const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

    const withLogo = await middleOf(code);
    const drawn = page.waitForResponse((answer) => answer.url().includes("frameText=Scan+for+the+menu"));
    await choose(dialog, "Dots", "Circle");
    await choose(dialog, "Frame", "Banner");
    await dialog.getByRole("textbox", { name: "Text" }).fill("Scan for the menu");
    await drawn;
    await eventually(
      async () => decodePng(await code.screenshot()),
      (found) => found === scannedText(world.server, key),
    );
    const files = {
      png: await save("PNG", "2,000 px"),
      svg: text(await save("SVG")),
      pdf: text(await save("PDF", "80 mm")),
    };
    // While the choices of the file are in sight, too.
    const clip = (await code.boundingBox()) ?? undefined;
    const seen = decodePng(await page.screenshot(clip && { clip }));
    await dialog.getByRole("switch", { name: "Domain logo" }).click();
    await choose(dialog, "Frame", "None");
    const withoutLogo = await eventually(
      () => middleOf(code),
      (color) => String(color) !== String(logoColor),
    );
    const faults = await faultsInBothThemes(page);
    await page.context().close();

    expect({ withLogo, seen }).toEqual({ withLogo: logoColor, seen: scannedText(world.server, key) });
    expect(withoutLogo).not.toEqual(logoColor);
    expect(PNG.sync.read(Buffer.from(files.png)).width).toBe(2_000);
    expect(decodePng(files.png)).toBe(scannedText(world.server, key));
    expect(files.svg).toMatch(/^<svg|^<\?xml/);
    // 80 millimeters are 226.77 points.
    expect(/MediaBox\s*\[\s*0 0 ([\d.]+)/.exec(files.pdf)?.[1]).toStartWith("226.7");
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test.each(walkWidths)(
  "at %i pixels, the codes of selected links are saved as one ZIP file, named by their slugs",
  async (width) => {
    const page = await openWindow(width);
    const keys = [`zip-a-${width}`, `zip/b-${width}`];
    for (const key of keys) await newLink(world.server, { url: "https://example.com/", key, title: `Zipped ${width}` });
    await openList(page, world.url(`/links?search=Zipped+${width}`), "2 links");
    await page.getByRole("checkbox", { name: "Select all loaded links" }).click();
    await page.getByRole("button", { name: "QR codes" }).click();
    const dialog = page.getByRole("dialog", { name: "2 QR codes" });
    await dialog.getByRole("img", { name: new RegExp(`-${width}$`) }).waitFor();
    await choose(dialog, "Dots", "Rounded");
    const faults = await faultsInBothThemes(page);

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download ZIP" }).click(),
    ]);
    const files = Object.entries(unzipSync(await bytesOf(download)));
    await dialog.waitFor({ state: "detached" });
    await page.context().close();

    expect(Object.fromEntries(files.map(([name, bytes]) => [name, decodePng(bytes)]))).toEqual(
      Object.fromEntries(keys.map((key) => [`${key.replace("/", "-")}.png`, scannedText(world.server, key)])),
    );
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, one row is above the page, a button above the navigation creates a link, and rows name domain, title, tags and clicks",
  async () => {
    const page = await openWindow(390);
    await openLinks(page);
    const header = page.getByRole("complementary").first();
    const middleOf = async (locator: Locator) => {
      const { y = Number.NaN, height = Number.NaN } = (await locator.boundingBox()) ?? {};
      return Math.round(y + height / 2);
    };

    const middles = await Promise.all((await header.getByRole("button").filter({ visible: true }).all()).map(middleOf));
    const headerHeight = (await header.boundingBox())?.height;
    for (const text of [menu.title, "localhost", "printed"]) await row(page, "menu").getByText(text).first().waitFor();
    await row(page, "menu").getByRole("link", { name: "0 clicks, show analytics" }).waitFor();
    const create = page.getByRole("button", { name: "Create link" }).filter({ visible: true });
    const bottomOfCreate = await create.evaluate((button) => button.getBoundingClientRect().bottom);
    const topOfNavigation = await page
      .getByRole("navigation", { name: "Main navigation" })
      .evaluate((navigation) => navigation.getBoundingClientRect().top);
    const faults = await faultsInBothThemes(page);
    // The button covers no row while the list is read, and is back with the first movement up.
    await page.setViewportSize({ width: 390, height: 420 });
    await page.evaluate("scrollTo(0, 100)");
    await eventually(
      async () => (await create.boundingBox())?.y ?? 0,
      (top) => top >= 420,
    );
    await page.evaluate("scrollBy(0, -40)");
    await create.click();
    await page.getByRole("dialog", { name: "New link" }).waitFor();
    faults.push(...(await faultsInBothThemes(page)));
    await page.context().close();

    expect(new Set(middles).size).toBe(1);
    expect(headerHeight).toBeLessThan(64);
    expect(bottomOfCreate).toBeLessThan(topOfNavigation);
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
