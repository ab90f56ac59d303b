import { encodeQR } from "qr";
import type { Color } from "./color.ts";

/** How much of a code may be unreadable, from 7% (L) to 30% (H). */
export const levels = ["L", "M", "Q", "H"] as const;
export type Level = (typeof levels)[number];

/** The kinds of picture. */
export const formats = ["png", "svg"] as const;
export type Format = (typeof formats)[number];

/** Pixels of a side. */
export const sizePxMin = 50;
/** Larger prints are what SVG is for. */
export const sizePxMax = 2_048;
export const sizePxDefault = 600;
/** Modules of empty space on each side. */
export const marginMax = 20;
export const marginDefault = 2;

/** TABLE of the bytes that the largest code holds (ISO/IEC 18004, version 40). */
export const textBytesMax: Record<Level, number> = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 };

/** What a QR code is to show, and how. */
export type QrCodeRequest = {
  /** ASCII, so that no reader has to guess an encoding. */
  text: string;
  format: Format;
  sizePx: number;
  level: Level;
  foreground: Color;
  background: Color;
  margin: number;
  /** An image as a data URL. */
  logo: string | null;
};

/** The picture, or why there can be none. */
export type QrCodeImage =
  | { kind: "drawn"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "textTooLong"; bytesMax: number }
  /** Not one pixel for each module. */
  | { kind: "sizeTooSmall"; sizePxMin: number };

/** The modules of a code, row by row, without margin; true is dark. */
export type Modules = readonly (readonly boolean[])[];

const levelNames = { L: "low", M: "medium", Q: "quartile", H: "high" } as const;

/** The code for a text; undefined when no code of that level is large enough. */
export function encodeText(text: string, level: Level): Modules | undefined {
  if (text.length > textBytesMax[level]) return undefined;
  // The library draws a border of at least one module.
  const bordered = encodeQR(text, "raw", { ecc: levelNames[level], border: 1 });
  return bordered.slice(1, -1).map((row) => row.slice(1, -1));
}

/** Below this many pixels, modules that differ by one pixel are hard to read. */
const unevenModulePxMin = 8;

/**
 * Where modules begin, in pixels from the picture's left or upper side, and where the last of them ends: one more than
 * modules. Small modules are all of one size, which can leave more margin than was asked for; large ones fill the
 * picture. Undefined when there is not one pixel for each.
 */
export function moduleEdges(modules: number, margin: number, sizePx: number): number[] | undefined {
  const exactPx = sizePx / (modules + 2 * margin);
  if (exactPx < 1) return undefined;
  const modulePx = exactPx < unevenModulePxMin ? Math.floor(exactPx) : exactPx;
  const start = (sizePx - modulePx * modules) / 2;
  return Array.from({ length: modules + 1 }, (_, index) => Math.round(start + index * modulePx));
}

/** The part of a code's side that a logo takes: 6% of the area, where level H can do without 30%. */
const logoSideShare = 0.25;

/** The square of modules in the middle that is left free for a logo. */
export function logoSquare(modules: number): { from: number; modules: number } {
  const most = Math.floor(modules * logoSideShare);
  // A code has an odd number of modules, so that an odd square sits in the middle.
  const side = most % 2 === 1 ? most : most - 1;
  return { from: (modules - side) / 2, modules: side };
}

/** The code with the square for a logo emptied. */
export function withoutMiddle(modules: Modules): Modules {
  const { from, modules: side } = logoSquare(modules.length);
  const isMiddle = (index: number) => index >= from && index < from + side;
  return modules.map((row, y) => row.map((isDark, x) => isDark && !(isMiddle(x) && isMiddle(y))));
}
