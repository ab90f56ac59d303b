import type { Schemas } from "../../../sdk/client.ts";

/** The shapes of a code's modules, the first by default. */
export const dotShapes = ["square", "rounded", "dots"] as const;
/** The shapes of the squares in a code's corners. */
export const cornerShapes = ["square", "rounded", "circle"] as const;
/** What surrounds a code. */
export const frames = ["none", "text", "banner", "badge"] as const;
/** The API's limit on a frame's text. */
export const frameTextCharactersMax = 40;

/** The look of a QR code. Colors are hexadecimal, such as #1d4ed8. */
export type QrStyle = {
  color: string;
  background: string;
  dots: (typeof dotShapes)[number];
  corners: (typeof cornerShapes)[number];
  frame: (typeof frames)[number];
  frameText: string;
  hasLogo: boolean;
};

/** Black squares on white, with the domain's logo. */
export const usualStyle: QrStyle = {
  color: "#000000",
  background: "#ffffff",
  dots: "square",
  corners: "square",
  frame: "none",
  frameText: "",
  hasLogo: true,
};

/** The reason why scanners may not read a pair of colors; undefined for readable ones. */
export function colorProblem({ color, background }: Pick<QrStyle, "color" | "background">) {
  const dark = luminance(color);
  const light = luminance(background);
  if (dark > light) return "inverted";
  return (light + 0.05) / (dark + 0.05) < contrastMin ? "pale" : undefined;
}

/** The contrast below which cameras fail in poor light; texts of a page need 4.5. */
const contrastMin = 4;

/** The relative luminance of WCAG, from 0 to 1. */
function luminance(color: string): number {
  const value = Number.parseInt(color.slice(1), 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** A style as the API saves it, with the names of its parameters. */
type SavedStyle = Schemas["QrStyle"];

/** The style that a workspace has saved. */
export function styleOf({ fgColor, bgColor, hideLogo, ...shapes }: SavedStyle): QrStyle {
  return { ...shapes, color: fgColor, background: bgColor, hasLogo: !hideLogo };
}

/** A style as the API saves it. */
export function savedStyleOf({ color, background, hasLogo, ...shapes }: QrStyle): SavedStyle {
  return { ...shapes, fgColor: color, bgColor: background, hideLogo: !hasLogo };
}
