import { capitalHeight, type TextOutline } from "./frame-text.ts";
import { moduleShapes } from "./module-shapes.ts";
import { type Path, rectangle, type Step, transformed } from "./path.ts";
import { logoSquare, type Modules } from "./qr-code.ts";
import type { QrStyle } from "./qr-style.ts";

/** A styled code as one shape in the foreground's color on the background. The unit is a module. */
export type Scene = {
  width: number;
  height: number;
  path: Path;
  /** The upper left corner and the side of the square for a logo. */
  logo: { x: number; y: number; side: number };
};

/** A frame needs the margin that the standard demands: its lines would confuse a scanner. */
const framedMarginMin = 4;

/** Shares of the code's side, including its margin. */
const bandShare = 0.19;
const borderShare = 0.03;
const radiusShare = 0.07;
/** Font size as a share of the band, and the width of the text as a share of the picture. */
const fontShare = 0.5;
const textShare = 0.86;

type Content = { modules: Modules; margin: number; style: QrStyle; outline: TextOutline | undefined };

/** Lays out a code with its frame. The outline is that of the frame's text; the band is empty without one. */
export function layOut({ modules, margin: wanted, style, outline }: Content): Scene {
  const margin = style.frame === "none" ? wanted : Math.max(wanted, framedMarginMin);
  const side = modules.length + 2 * margin;
  const border = style.frame === "banner" ? side * borderShare : 0;
  const band = style.frame === "none" || outline === undefined ? border : side * bandShare;
  const width = side + 2 * border;
  const height = side + border + band;
  const origin = border + margin;
  const square = logoSquare(modules.length);
  const box = { width, side, border, band, margin };
  return {
    width,
    height,
    path: [
      ...transformed(moduleShapes(modules, style), { scale: 1, x: origin, y: origin }),
      ...frameShapes(style.frame, box, outline),
    ],
    // Half a module of distance on each side.
    logo: { x: origin + square.from + 0.5, y: origin + square.from + 0.5, side: square.modules - 1 },
  };
}

type Box = { width: number; side: number; border: number; band: number; margin: number };

function frameShapes(frame: QrStyle["frame"], box: Box, outline: TextOutline | undefined): Step[] {
  switch (frame) {
    case "none":
      return [];
    case "text":
      // The code's margin separates it from the text, so the same distance is left below.
      return outline === undefined ? [] : line(outline, box, box.side + (box.band - box.margin) / 2);
    case "banner":
      return banner(box, outline);
    case "badge":
      return outline === undefined ? [] : badge(box, outline);
  }
}

/** A border around the code with a filled foot, in which the text is a hole. */
function banner(box: Box, outline: TextOutline | undefined): Step[] {
  const { width, side, border, band } = box;
  const outer = side * radiusShare;
  const inner = outer - border;
  const height = side + border + band;
  const text = outline === undefined ? [] : line(outline, box, border + side + band / 2);
  const foot = outline === undefined ? inner : 0;
  return [
    ...rectangle({ x: 0, y: 0, width, height }, [outer, outer, outer, outer]),
    ...rectangle({ x: border, y: border, width: side, height: side }, [inner, inner, foot, foot]),
    ...text,
  ];
}

/** A filled label below the code with a tip that points to it; the text is a hole. */
function badge(box: Box, outline: TextOutline): Step[] {
  const { width, side, band, margin } = box;
  const font = fontSize(outline, box);
  const height = band * 0.8;
  const labelWidth = Math.min(side - 2, font * outline.width + height);
  const top = side - margin / 2 + band * 0.05;
  const radius = height * 0.3;
  const middle = width / 2;
  const tip = height * 0.2;
  return [
    ...rectangle({ x: middle - labelWidth / 2, y: top, width: labelWidth, height }, [radius, radius, radius, radius]),
    ["M", middle - tip, top],
    ["L", middle, top - tip],
    ["L", middle + tip, top],
    ["Z"],
    ...line(outline, box, top + height / 2),
  ];
}

function fontSize({ width }: TextOutline, box: Box): number {
  return Math.min(box.band * fontShare, (box.side * textShare) / Math.max(width, 1));
}

/** The text, centered at a height. */
function line(outline: TextOutline, box: Box, centerY: number): Step[] {
  const scale = fontSize(outline, box);
  const x = (box.width - outline.width * scale) / 2;
  return transformed(outline.path, { scale, x, y: centerY + (capitalHeight * scale) / 2 });
}
