import { encodeQR } from "qr";
import type { Color } from "./color.ts";
import type { QrStyle } from "./qr-style.ts";

/** Error correction levels: the unreadable share that a code tolerates, from 7% (L) to 30% (H). */
export const levels = ["L", "M", "Q", "H"] as const;
export type Level = (typeof levels)[number];

/** The formats of an image. */
export const formats = ["png", "svg", "pdf"] as const;
export type Format = (typeof formats)[number];

/** The width of a PNG or SVG in pixels. Use SVG or PDF for larger prints. */
export const sizePxMin = 50;
export const sizePxMax = 2_048;
export const sizePxDefault = 600;
/** The width of a PDF in millimeters: from a label to a poster. */
export const widthMmMin = 10;
export const widthMmMax = 1_000;
export const widthMmDefault = 50;
/** The margin on each side, in modules. */
export const marginMax = 20;
export const marginDefault = 2;

/** TABLE of the bytes that the largest code holds (ISO/IEC 18004, version 40). */
export const textBytesMax: Record<Level, number> = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 };

/** The content and the look of a QR code. */
export type QrCodeRequest = {
  /** ASCII, so that no scanner has to guess an encoding. */
  text: string;
  format: Format;
  sizePx: number;
  /** Only for a PDF. */
  widthMm: number;
  level: Level;
  foreground: Color;
  background: Color;
  margin: number;
  style: QrStyle;
  /** An image as a data URL. */
  logo: string | null;
};

/** The image, or the reason why it cannot be drawn. */
export type QrCodeImage =
  | { kind: "drawn"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "textTooLong"; bytesMax: number }
  /** The size has less than one pixel per module, or less than styledModulePxMin with a style. */
  | { kind: "sizeTooSmall"; sizePxMin: number }
  /** The font lacks characters of the frame's text. */
  | { kind: "charactersMissing"; characters: string[] };

/** The modules of a code, row by row, without margin; true is dark. */
export type Modules = readonly (readonly boolean[])[];

const levelNames = { L: "low", M: "medium", Q: "quartile", H: "high" } as const;

/** The code for a text; undefined when the text is too long for the level. */
export function encodeText(text: string, level: Level): Modules | undefined {
  if (text.length > textBytesMax[level]) return undefined;
  // The library draws a border of at least one module.
  const bordered = encodeQR(text, "raw", { ecc: levelNames[level], border: 1 });
  return bordered.slice(1, -1).map((row) => row.slice(1, -1));
}

/** The minimum pixels of a styled module: in fewer, a shape is invisible and makes the code hard to read. */
export const styledModulePxMin = 3;

/** Below this many pixels, modules that differ by one pixel are hard to read. */
export const unevenModulePxMin = 8;

/**
 * The edges of the modules, in pixels from the picture's left or upper side: one more than modules. Small modules all
 * have the same size, which can widen the margin; large ones fill the picture. Undefined when a module has less than
 * one pixel.
 */
export function moduleEdges(modules: number, margin: number, sizePx: number): number[] | undefined {
  const exactPx = sizePx / (modules + 2 * margin);
  if (exactPx < 1) return undefined;
  const modulePx = exactPx < unevenModulePxMin ? Math.floor(exactPx) : exactPx;
  const start = (sizePx - modulePx * modules) / 2;
  return Array.from({ length: modules + 1 }, (_, index) => Math.round(start + index * modulePx));
}

/** The logo's share of a side. It covers 6% of the area; level H tolerates 30% of unreadable modules. */
const logoSideShare = 0.25;

/** The square of modules in the middle that stays free for a logo. */
export function logoSquare(modules: number): { from: number; modules: number } {
  const sideMax = Math.floor(modules * logoSideShare);
  // A code has an odd number of modules, so an odd square is centered.
  const side = sideMax % 2 === 1 ? sideMax : sideMax - 1;
  return { from: (modules - side) / 2, modules: side };
}

/** The code without the modules of the logo's square. */
export function withoutMiddle(modules: Modules): Modules {
  const { from, modules: side } = logoSquare(modules.length);
  const isMiddle = (index: number) => index >= from && index < from + side;
  return modules.map((row, y) => row.map((isDark, x) => isDark && !(isMiddle(x) && isMiddle(y))));
}
