/** QR codes in a real browser: a decoder reads what the dialog shows, and what it saves. */
import { expect, test } from "bun:test";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { bytesOf, choose, decodePng, scannedText } from "../support/qr-files.ts";
import { addDomain, addLink } from "../support/short-domains.ts";

const world = openWalks();

test(
  "a code with dots, round corners and a frame is shown, saved as the style of the workspace, and downloaded",
  async () => {
    const { page } = world;
    const { id, key } = await newLink(world.server, { url: "https://example.com/styled", key: "styled" });
    await page.goto(world.url(`/links?qr=${id}`));
    const dialog = page.getByRole("dialog", { name: "QR code" });

    await choose(dialog, "Dots", "Circle");
    await choose(dialog, "Corners", "Circle");
    const framed = page.waitForResponse((answer) => answer.url().includes("frameText=Scan+me"));
    await choose(dialog, "Frame", "Banner");
    await framed;
    await dialog.getByRole("button", { name: "Save as workspace default" }).click();
    await page.getByText("Saved as workspace default.").first().waitFor();
    const shown = await dialog.getByRole("img", { name: /styled$/ }).screenshot({ scale: "device" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: "Download PNG" }).click(),
    ]);
    const saved = await bytesOf(download);
    const colleague = await world.newPage();
    await colleague.goto(world.url(`/links?qr=${id}`));
    await colleague.getByRole("dialog").getByRole("textbox", { name: "Text" }).waitFor();

    expect([decodePng(shown), decodePng(saved)]).toEqual([
      scannedText(world.server, key),
      scannedText(world.server, key),
    ]);
    expect(download.suggestedFilename()).toBe("styled.png");
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
  "for a link on a domain without a logo, the logo is switched off and the dialog leads to the domain's settings",
  async () => {
    const { page, server } = world;
    const { slug } = await addDomain(server);
    const { id } = await addLink(server, { url: "https://example.com/", domain: slug });
    await page.goto(world.url(`/links?qr=${id}`));
    const dialog = page.getByRole("dialog");

    await dialog.getByRole("link", { name: "Add a logo" }).waitFor();
    const logo = dialog.getByRole("switch", { name: "Logo", exact: false });
    expect(await logo.isDisabled()).toBe(true);
    expect(await logo.isChecked()).toBe(false);
    await dialog.getByRole("link", { name: "Add a logo" }).click();

    await page.getByRole("tab", { name: "Settings", selected: true }).waitFor();
    expect(new URL(page.url()).pathname).toEndWith(`/domains/${slug}`);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
