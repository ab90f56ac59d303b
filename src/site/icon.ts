import { encode } from "fast-png";
import { imageHeaders } from "./image-headers.ts";

/**
 * The icon: a signpost's arrow on a disc. Drawn by code, so that the SVG and the ICO file have the same shape.
 *
 * An .ico file is a header of 6 bytes, an entry of 16 bytes for each picture, and the pictures, which may be PNGs.
 */

const sizePx = 32;
/** Samples per pixel in each direction, for smooth edges. */
const samples = 4;
const ground = "#1d4ed8";
const groundRgb = [0x1d, 0x4e, 0xd8] as const;
/** The arrow's corners, in a square of sizePx. */
const arrow = [
  [7, 12],
  [18, 12],
  [18, 7],
  [27, 16],
  [18, 25],
  [18, 20],
  [7, 20],
] as const;

/** Cached for a day: browsers request the icon with every page. */
const headers = { ...imageHeaders, "Cache-Control": "public, max-age=86400" };

/** The icon at /favicon.ico, which browsers request by default. */
export function favicon(): Response {
  ico ??= drawIco();
  return new Response(ico, { headers: { ...headers, "Content-Type": "image/x-icon" } });
}

/** The icon as SVG, for pages that link to it. */
export function svgIcon(): Response {
  const points = arrow.map((corner) => corner.join()).join(" ");
  const half = sizePx / 2;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${sizePx} ${sizePx}"><circle cx="${half}" cy="${half}" r="${half}" fill="${ground}"/><polygon points="${points}" fill="#fff"/></svg>`;
  return new Response(svg, { headers: { ...headers, "Content-Type": "image/svg+xml" } });
}

/** Drawn on the first request. */
let ico: Uint8Array<ArrayBuffer> | undefined;

function drawIco(): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(sizePx * sizePx * 4);
  for (let y = 0; y < sizePx; y++) for (let x = 0; x < sizePx; x++) data.set(pixelAt(x, y), (y * sizePx + x) * 4);
  const png = encode({ width: sizePx, height: sizePx, data, depth: 8, channels: 4 });
  const file = new Uint8Array(22 + png.byteLength);
  const view = new DataView(file.buffer);
  view.setUint16(2, 1, true); // an icon
  view.setUint16(4, 1, true); // of one picture
  view.setUint8(6, sizePx);
  view.setUint8(7, sizePx);
  view.setUint16(10, 1, true); // plane
  view.setUint16(12, 32, true); // bits for each pixel
  view.setUint32(14, png.byteLength, true);
  view.setUint32(18, 22, true); // where it begins
  file.set(png, 22);
  return file;
}

/** Red, green, blue and opacity. */
function pixelAt(x: number, y: number): [number, number, number, number] {
  let [inside, white] = [0, 0];
  for (let sample = 0; sample < samples * samples; sample++) {
    const at = [x + ((sample % samples) + 0.5) / samples, y + (Math.floor(sample / samples) + 0.5) / samples] as const;
    if (Math.hypot(at[0] - sizePx / 2, at[1] - sizePx / 2) <= sizePx / 2) inside++;
    if (isInArrow(at)) white++;
  }
  const share = inside === 0 ? 0 : white / inside;
  const [red, green, blue] = groundRgb.map((color) => Math.round(color + (255 - color) * share));
  return [red ?? 0, green ?? 0, blue ?? 0, Math.round((255 * inside) / samples ** 2)];
}

/** True when a ray from the point crosses the arrow's edge an odd number of times. */
function isInArrow([x, y]: readonly [number, number]): boolean {
  let isInside = false;
  arrow.forEach(([fromX, fromY], index) => {
    const [toX, toY] = arrow[(index + 1) % arrow.length] ?? arrow[0];
    if (fromY > y !== toY > y && x < ((toX - fromX) * (y - fromY)) / (toY - fromY) + fromX) isInside = !isInside;
  });
  return isInside;
}
