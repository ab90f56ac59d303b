import { readFile } from "node:fs/promises";
import jsQR from "jsqr";
import type { Download, Locator } from "playwright-core";
import { PNG } from "pngjs";
import type { TestService } from "./server.ts";

/** The text that the QR code of a link on the service's own domain holds. */
export function scannedText(server: TestService, key: string): string {
  return `http://localhost:${new URL(server.url).port}/${key}?qr=1`;
}

/** The text of the code in a PNG; undefined if no scanner could read one. */
export function decodePng(png: Uint8Array): string | undefined {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

/** The bytes of a file that a page has saved. */
export async function bytesOf(download: Download): Promise<Uint8Array> {
  return new Uint8Array(await readFile(await download.path()));
}

/** Chooses one of a few values beside each other, such as the shape of a code's dots. */
export async function choose(dialog: Locator, group: string, name: string): Promise<void> {
  await dialog.getByRole("group", { name: group, exact: true }).getByRole("button", { name, exact: true }).click();
}
