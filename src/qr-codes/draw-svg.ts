import { type Color, hexOf } from "./color.ts";
import { logoSquare, type Modules, withoutMiddle } from "./qr-code.ts";

/** Pixels of a logo in an SVG: sharp on a poster, and still small. */
export const svgLogoSidePx = 256;

type Picture = {
  modules: Modules;
  margin: number;
  sizePx: number;
  foreground: Color;
  background: Color;
  /** A PNG that fitLogo made. */
  logo: Uint8Array | undefined;
};

/** The picture as an SVG whose unit is a module. It contains no script, no style and no URL. */
export function drawSvg({ modules, margin, sizePx, foreground, background, logo }: Picture): string {
  const side = modules.length + 2 * margin;
  const dark = logo === undefined ? modules : withoutMiddle(modules);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sizePx}" height="${sizePx}" viewBox="0 0 ${side} ${side}">` +
    `<path ${fill(background)} d="M0 0h${side}v${side}H0z"/>` +
    `<path ${fill(foreground)} shape-rendering="crispEdges" d="${runs(dark, margin)}"/>` +
    `${logo === undefined ? "" : image(modules.length, margin, logo)}</svg>`
  );
}

/** The attributes of a fill: many programs that read SVG do not know hex colors of 8 digits. */
export function fill(color: Color): string {
  const { alpha } = color;
  return `fill="${hexOf(color)}"${alpha === 255 ? "" : ` fill-opacity="${(alpha / 255).toFixed(3)}"`}`;
}

/** One rectangle for each run of dark modules in a row. */
function runs(modules: Modules, margin: number): string {
  return modules
    .flatMap((row, y) => {
      const text = row.map((isDark) => (isDark ? "1" : "0")).join("");
      return [...text.matchAll(/1+/g)].map(
        ({ index, 0: { length } }) => `M${index + margin} ${y + margin}h${length}v1h-${length}z`,
      );
    })
    .join("");
}

function image(modules: number, margin: number, logo: Uint8Array): string {
  const { from, modules: side } = logoSquare(modules);
  const start = margin + from + 0.5;
  const href = `data:image/png;base64,${Buffer.from(logo).toString("base64")}`;
  return `<image x="${start}" y="${start}" width="${side - 1}" height="${side - 1}" href="${href}"/>`;
}
