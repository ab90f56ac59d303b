import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Font, parse } from "opentype.js";
import type { Step } from "./path.ts";

/** Parts of the font by script; most texts need only the first one. */
const parts = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "greek-ext", "vietnamese"] as const;

/** The outline of a line of text for a font size of 1, from (0, 0) on the baseline, and its width. */
export type TextOutline = { path: readonly Step[]; width: number };

/** Height of the font's capitals, for a font size of 1. */
export const capitalHeight = 0.727;

/** The outline of a text, or the characters that the font lacks. */
export async function outlineText(
  text: string,
): Promise<{ kind: "outlined"; outline: TextOutline } | { kind: "missing"; characters: string[] }> {
  const path: Step[] = [];
  const missing = new Set<string>();
  let x = 0;
  // A letter and its accent become one character where Unicode has it.
  for (const character of text.normalize("NFC")) {
    const font = await fontWith(character);
    if (font === undefined) {
      missing.add(character);
      continue;
    }
    const glyph = font.charToGlyph(character);
    path.push(...stepsOf(glyph.getPath(x, 0, 1).commands));
    x += (glyph.advanceWidth ?? 0) / font.unitsPerEm;
  }
  if (missing.size > 0) return { kind: "missing", characters: [...missing] };
  return { kind: "outlined", outline: { path, width: x } };
}

const fonts = new Map<string, Promise<Font>>();

async function fontWith(character: string): Promise<Font | undefined> {
  for (const part of parts) {
    const font = await readFont(part);
    if (font.hasChar(character)) return font;
  }
  return undefined;
}

function readFont(part: (typeof parts)[number]): Promise<Font> {
  const known = fonts.get(part);
  if (known !== undefined) return known;
  const font = parseFont(part);
  fonts.set(part, font);
  // A file that could not be read once, for example because all file descriptors were in use, is read again.
  font.catch(() => fonts.delete(part));
  return font;
}

async function parseFont(part: string): Promise<Font> {
  const url = import.meta.resolve(`@fontsource/inter/files/inter-${part}-600-normal.woff`);
  const bytes = await readFile(fileURLToPath(url));
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

type Commands = ReturnType<ReturnType<Font["charToGlyph"]>["getPath"]>["commands"];

function stepsOf(commands: Commands): Step[] {
  let at = { x: 0, y: 0 };
  return commands.map((command): Step => {
    if (command.type === "Z") return ["Z"];
    const { x, y } = command;
    const from = at;
    at = { x, y };
    if (command.type === "C") return ["C", command.x1, command.y1, command.x2, command.y2, x, y];
    if (command.type !== "Q") return [command.type, x, y];
    // A quadratic curve as a cubic one.
    const { x1, y1 } = command;
    const towards = (end: number, control: number) => end + (2 / 3) * (control - end);
    return ["C", towards(from.x, x1), towards(from.y, y1), towards(x, x1), towards(y, y1), x, y];
  });
}
