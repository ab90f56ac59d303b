import assert from "node:assert/strict";
import { decode } from "fast-png";
import type { Color } from "./color.ts";

/** A picture of one byte per pixel, which names a color of the palette. */
type Indexed = { data: Uint8Array; palette: number[][]; widthPx: number; background: Color };

/**
 * Draws a logo with its center at a point, and appends its colors to the palette, blended with the background, which is
 * all that the square of the logo holds. The logo is a PNG of fitLogo.
 */
export function drawLogo(
  { data, palette, widthPx, background }: Indexed,
  logo: Uint8Array,
  center: { x: number; y: number },
): void {
  const image = decode(logo);
  const firstColor = palette.length;
  const colors = image.palette ?? [];
  assert(image.depth === 8 && image.channels === 1, `The logo has depth ${image.depth}, channels ${image.channels}.`);
  palette.push(
    ...colors.map(([red = 0, green = 0, blue = 0, alpha = 255]) => over({ red, green, blue, alpha }, background)),
  );
  const left = Math.floor(center.x - image.width / 2);
  const top = Math.floor(center.y - image.height / 2);
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      data[(top + y) * widthPx + left + x] = firstColor + (image.data[y * image.width + x] ?? 0);
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
