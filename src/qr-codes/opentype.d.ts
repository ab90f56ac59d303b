/** The part of opentype.js that draws a frame's text; the package has no types. */
declare module "opentype.js" {
  type Command =
    | { type: "M" | "L"; x: number; y: number }
    | { type: "Q"; x1: number; y1: number; x: number; y: number }
    | { type: "C"; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
    | { type: "Z" };
  type Glyph = {
    index: number;
    advanceWidth?: number;
    getPath(x: number, y: number, fontSize: number): { commands: Command[] };
  };
  export type Font = {
    unitsPerEm: number;
    hasChar(character: string): boolean;
    charToGlyph(character: string): Glyph;
    getKerningValue(left: Glyph, right: Glyph): number;
  };
  export function parse(font: ArrayBuffer): Font;
}
