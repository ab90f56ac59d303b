import { encode } from "fast-png";
import { type Color, channels } from "./color.ts";
import { coverage } from "./coverage.ts";
import { fill } from "./draw-svg.ts";
import { drawLogo } from "./indexed-logo.ts";
import { type Path, type Step, transformed } from "./path.ts";
import { styledModulePxMin, unevenModulePxMin } from "./qr-code.ts";
import type { Scene } from "./scene.ts";

type Colors = { foreground: Color; background: Color };

/** Pixels of a scene's module in a picture of a width; undefined when they are too few to show its shape. */
export function modulePxOf({ width }: Pick<Scene, "width">, widthPx: number): number | undefined {
  const exactPx = widthPx / width;
  if (exactPx < styledModulePxMin) return undefined;
  return exactPx < unevenModulePxMin ? Math.floor(exactPx) : exactPx;
}

/** Shades between background and foreground, which smooth the edges. */
const shades = 64;

/** The scene as a PNG of exactly widthPx, with a palette and one byte per pixel. The logo is a PNG of fitLogo. */
export function drawStyledPng(
  scene: Scene,
  { foreground, background }: Colors,
  { widthPx, modulePx, logo }: { widthPx: number; modulePx: number; logo: Uint8Array | undefined },
): Uint8Array<ArrayBuffer> {
  const height = Math.round((scene.height * widthPx) / scene.width);
  // Modules of whole pixels leave a rest, which widens the margin.
  const offset = {
    x: Math.floor((widthPx - scene.width * modulePx) / 2),
    y: Math.floor((height - scene.height * modulePx) / 2),
  };
  const covered = coverage(transformed(scene.path, { scale: modulePx, ...offset }), { width: widthPx, height });
  const data = new Uint8Array(covered.length);
  for (let index = 0; index < covered.length; index++) data[index] = Math.round((covered[index] ?? 0) * (shades - 1));
  const palette = Array.from({ length: shades }, (_, shade) => mixed(background, foreground, shade / (shades - 1)));
  if (logo !== undefined) {
    const { x, y, side } = scene.logo;
    const center = { x: offset.x + (x + side / 2) * modulePx, y: offset.y + (y + side / 2) * modulePx };
    drawLogo({ data, palette, widthPx, background }, logo, center);
  }
  return new Uint8Array(encode({ width: widthPx, height, data, depth: 8, channels: 1, palette }));
}

function mixed(from: Color, to: Color, share: number): number[] {
  const ends = channels(to);
  return channels(from).map((part, index) => Math.round(part + ((ends[index] ?? 0) - part) * share));
}

/** The scene as an SVG whose unit is a module. It contains no script, no style and no URL. */
export function drawStyledSvg(
  { width, height, path, logo }: Scene,
  { foreground, background }: Colors,
  { widthPx, image }: { widthPx: number; image: Uint8Array | undefined },
): string {
  const heightPx = Math.round((height * widthPx) / width);
  const box = `${rounded(width)} ${rounded(height)}`;
  const place = `x="${rounded(logo.x)}" y="${rounded(logo.y)}" width="${logo.side}" height="${logo.side}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${box}">` +
    `<path ${fill(background)} d="M0 0h${rounded(width)}v${rounded(height)}H0z"/>` +
    `<path ${fill(foreground)} fill-rule="evenodd" d="${svgPath(path)}"/>` +
    (image === undefined
      ? ""
      : `<image ${place} href="data:image/png;base64,${Buffer.from(image).toString("base64")}"/>`) +
    "</svg>"
  );
}

function svgPath(path: Path): string {
  return path.map(([command, ...numbers]: Step) => `${command}${numbers.map(rounded).join(" ")}`).join("");
}

/** Thousandths of a module are finer than any print. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
