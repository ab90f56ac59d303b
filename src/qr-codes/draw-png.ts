import assert from "node:assert/strict";
import { decode, encode } from "fast-png";
import type { Color } from "./color.ts";
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
  drawInMiddle({ data, palette, sizePx, background }, logo);
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

function channels({ red, green, blue, alpha }: Color): number[] {
  return [red, green, blue, alpha];
}

type Indexed = { data: Uint8Array; palette: number[][]; sizePx: number; background: Color };

/** Appends the logo's colors to the palette, blended with the background, which is all that the middle holds. */
function drawInMiddle({ data, palette, sizePx, background }: Indexed, logo: Uint8Array): void {
  const image = decode(logo);
  const firstColor = palette.length;
  const colors = image.palette ?? [];
  assert(image.depth === 8 && image.channels === 1, `The logo has depth ${image.depth}, channels ${image.channels}.`);
  palette.push(
    ...colors.map(([red = 0, green = 0, blue = 0, alpha = 255]) => over({ red, green, blue, alpha }, background)),
  );
  const left = Math.floor((sizePx - image.width) / 2);
  const top = Math.floor((sizePx - image.height) / 2);
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      data[(top + y) * sizePx + left + x] = firstColor + (image.data[y * image.width + x] ?? 0);
    }
  }
}

/** The visible color of one color above another. */
function over(above: Color, below: Color): number[] {
  const aboveShare = above.alpha / 255;
  const belowShare = (below.alpha / 255) * (1 - aboveShare);
  const share = aboveShare + belowShare;
  if (share === 0) return [0, 0, 0, 0];
  const mix = (part: "red" | "green" | "blue") =>
    Math.round((above[part] * aboveShare + below[part] * belowShare) / share);
  return [mix("red"), mix("green"), mix("blue"), Math.round(share * 255)];
}
