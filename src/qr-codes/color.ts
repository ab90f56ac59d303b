/** A color with its opacity, each part from 0 to 255. */
export type Color = { red: number; green: number; blue: number; alpha: number };

/** A description of valid colors, for problems. */
export const colorDescription = "a hex color of 3, 6 or 8 digits such as #1A2B3C; in a URL, # is written %23";

/** Valid colors as a regular expression, for programs. */
export const colorPattern = "^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$";
const pattern = new RegExp(colorPattern);

/** The color that 3, 6 or 8 hex digits name, with or without a leading #; undefined for any other text. */
export function readColor(text: string): Color | undefined {
  const digits = pattern.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const full = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const value = Number.parseInt(full.padEnd(8, "f"), 16);
  return { red: value >>> 24, green: (value >>> 16) & 255, blue: (value >>> 8) & 255, alpha: value & 255 };
}

/** The parts of a color in the order of a palette. */
export function channels({ red, green, blue, alpha }: Color): number[] {
  return [red, green, blue, alpha];
}

/** A color without its opacity, as SVG writes it. */
export function hexOf({ red, green, blue }: Color): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
