/** QR codes in a real browser: a decoder reads what the dialog shows, and what it saves. */
import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import jsQR from "jsqr";
import type { Download, Locator } from "playwright-core";
import { PNG } from "pngjs";
import { newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

/** The text of the code of a link on the service's own domain. */
function scanned(key: string): string {
  return `http://localhost:${new URL(world.server.url).port}/${key}?qr=1`;
}

/** The text of the code in a PNG. */
function decode(png: Uint8Array): string | undefined {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

async function bytesOf(download: Download): Promise<Uint8Array> {
  return new Uint8Array(await readFile(await download.path()));
}

async function choose(dialog: Locator, group: string, name: string): Promise<void> {
  await dialog.getByRole("group", { name: group, exact: true }).getByRole("button", { name, exact: true }).click();
}

test(
  "a code with dots, round corners and a frame is shown, saved as the style of the workspace, and downloaded",
  async () => {
    const { page } = world;
    const { id, key } = await newLink(world.server, { url: "https://example.com/styled", key: "styled" });
    await page.goto(world.url(`/links?qr=${id}`));
    const dialog = page.getByRole("dialog", { name: "QR code" });

    await choose(dialog, "Dots", "Round");
    await choose(dialog, "Corners", "Circle");
    const framed = page.waitForResponse((answer) => answer.url().includes("frameText=Scan+me"));
    await choose(dialog, "Frame", "Banner");
    await framed;
    await dialog.getByRole("button", { name: "Save as workspace style" }).click();
    await page.getByText("Workspace style saved.").waitFor();
    const shown = await dialog.getByRole("img", { name: /styled$/ }).screenshot({ scale: "device" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: "Download PNG" }).click(),
    ]);
    const saved = await bytesOf(download);
    const colleague = await world.newPage();
    await colleague.goto(world.url(`/links?qr=${id}`));
    await colleague.getByRole("dialog").getByRole("textbox", { name: "Text" }).waitFor();

    expect([decode(shown), decode(saved)]).toEqual([scanned(key), scanned(key)]);
    expect(download.suggestedFilename()).toBe("styled.png");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, the code stays visible and whole while its options scroll",
  async () => {
    const page = await world.newPage({ viewport: { width: 390, height: 740 } });
    const { id, key } = await newLink(world.server, { url: "https://example.com/sticky", key: "sticky" });
    await page.goto(world.url(`/links?qr=${id}`));
    const dialog = page.getByRole("dialog", { name: "QR code" });
    const code = dialog.getByRole("img", { name: /sticky$/ });
    await code.waitFor();

    await dialog.getByRole("button", { name: "PDF", exact: true }).scrollIntoViewIfNeeded();

    const clip = (await code.boundingBox()) ?? undefined;
    expect(decode(await page.screenshot(clip && { clip }))).toBe(scanned(key));
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "characters that the font lacks are named at the text, and pale colors are warned about",
  async () => {
    const page = await world.newPage();
    const { id } = await newLink(world.server, { url: "https://example.com/warned", key: "warned" });
    await page.goto(world.url(`/links?qr=${id}`));
    const dialog = page.getByRole("dialog", { name: "QR code" });

    await choose(dialog, "Frame", "Label");
    await dialog.getByRole("textbox", { name: "Text" }).fill("扫我");
    await dialog.getByText("must not contain 扫 我, which the font lacks").waitFor();
    await dialog.getByLabel("Custom color").fill("#ffff00");

    await dialog.getByText("Low contrast").waitFor();
  },
  walkMsMax,
);

test(
  "the codes of selected links are downloaded as a ZIP file, named by their slugs",
  async () => {
    const page = await world.newPage();
    const keys = ["zip-one", "zip/two"];
    for (const key of keys) await newLink(world.server, { url: "https://example.com/zipped", key });
    await openList(page, world.url("/links?search=zipped"), "2 links");
    for (const key of keys) await row(page, key).getByRole("checkbox").click();
    await page.getByRole("button", { name: "QR codes" }).click();
    const dialog = page.getByRole("dialog", { name: "2 QR codes" });
    await choose(dialog, "Dots", "Rounded");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download ZIP" }).click(),
    ]);
    const files = unzipSync(await bytesOf(download));

    const texts = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, decode(bytes)]));
    expect(texts).toEqual({ "zip-one.png": scanned("zip-one"), "zip-two.png": scanned("zip/two") });
    await dialog.waitFor({ state: "detached" });
  },
  walkMsMax,
);
