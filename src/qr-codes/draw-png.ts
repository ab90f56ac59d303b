import { encode } from "fast-png";
import { type Color, channels } from "./color.ts";
import { drawLogo } from "./indexed-logo.ts";
import { logoSquare, type Modules, withoutMiddle } from "./qr-code.ts";

type Picture = {
  modules: Modules;
  edges: readonly number[];
  sizePx: number;
  foreground: Color;
  background: Color;
};

/** The picture as a PNG in two colors: a palette and one bit per pixel. */
export function drawPng({ modules, edges, sizePx, foreground, background }: Picture): Uint8Array<ArrayBuffer> {
  const rowBytes = Math.ceil(sizePx / 8);
  const data = new Uint8Array(rowBytes * sizePx);
  for (const { row, top, bottom } of bands(modules, edges)) {
    const pixels = new Uint8Array(rowBytes);
    for (const x of darkPixels(row, edges)) pixels[x >> 3] = (pixels[x >> 3] ?? 0) | (128 >> (x & 7));
    for (let y = top; y < bottom; y++) data.set(pixels, y * rowBytes);
  }
  const palette = [channels(background), channels(foreground)];
  return new Uint8Array(encode({ width: sizePx, height: sizePx, data, depth: 1, channels: 1, palette }));
}

/**
 * The picture as a PNG with the logo in its middle: a palette and one byte per pixel. The logo is a PNG that fitLogo
 * made for logoSidePx.
 */
export function drawPngWithLogo(picture: Picture, logo: Uint8Array): Uint8Array<ArrayBuffer> {
  const { edges, sizePx, foreground, background } = picture;
  const data = new Uint8Array(sizePx * sizePx);
  for (const { row, top, bottom } of bands(withoutMiddle(picture.modules), edges)) {
    const pixels = new Uint8Array(sizePx);
    for (const x of darkPixels(row, edges)) pixels[x] = 1;
    for (let y = top; y < bottom; y++) data.set(pixels, y * sizePx);
  }
  const palette = [channels(background), channels(foreground)];
  drawLogo({ data, palette, widthPx: sizePx, background }, logo, { x: sizePx / 2, y: sizePx / 2 });
  return new Uint8Array(encode({ width: sizePx, height: sizePx, data, depth: 8, channels: 1, palette }));
}

/** Pixels of the square for the logo: the free middle, less half a module on each side. */
export function logoSidePx({ modules, edges }: Pick<Picture, "modules" | "edges">): number {
  const { from, modules: side } = logoSquare(modules.length);
  const freePx = (edges[from + side] ?? 0) - (edges[from] ?? 0);
  return Math.floor(freePx * (1 - 1 / side));
}

/** Each row of modules with its pixel rows. */
function bands(modules: Modules, edges: readonly number[]) {
  return modules.map((row, y) => ({ row, top: edges[y] ?? 0, bottom: edges[y + 1] ?? 0 }));
}

function* darkPixels(row: readonly boolean[], edges: readonly number[]): Generator<number> {
  for (const [index, isDark] of row.entries()) {
    if (!isDark) continue;
    const end = edges[index + 1] ?? 0;
    for (let x = edges[index] ?? 0; x < end; x++) yield x;
  }
}
