import { join } from "node:path";
import * as simpleIcons from "simple-icons";
import { assetsPath } from "../src/site/dashboard-files.ts";
import { iconNames } from "./src/reports/brands.ts";

/** Colors beyond these brightnesses, from 0 to 255, are hard to see on a dark or a light background. */
const brightnessMin = 50;
const brightnessMax = 215;

/** The icons of Simple Icons by their names: only its index has the colors. */
const icons = new Map(Object.values(simpleIcons).map((icon) => [icon.slug, icon]));

/** Writes a file for each icon of a brand, and returns their URLs: a page loads only the icons that it shows. */
export async function writeBrands(outdir: string): Promise<{ before: string; after: string }> {
  const drawings = iconNames.map((name) => ({ name, drawing: brandDrawing(name) }));
  const hasher = new Bun.CryptoHasher("sha256");
  for (const { name, drawing } of drawings) hasher.update(name).update(drawing);
  const after = `-${hasher.digest("hex").slice(0, 10)}.svg`;
  for (const { name, drawing } of drawings) await Bun.write(join(outdir, `brand-${name}${after}`), drawing);
  return { before: `${assetsPath}brand-`, after };
}

/** An SVG whose element #icon has the brand's color, or none if that is hard to see in one of the two themes. */
export function brandDrawing(name: string): string {
  const icon = icons.get(name);
  if (icon === undefined) throw new Error(`Simple Icons has no icon ${name}.`);
  const fill = isReadable(icon.hex) ? ` fill="#${icon.hex}"` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path id="icon"${fill} d="${icon.path}"/></svg>`;
}

function isReadable(hex: string): boolean {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
  // The weights of ITU-R BT.601.
  const brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
  return brightness >= brightnessMin && brightness <= brightnessMax;
}
