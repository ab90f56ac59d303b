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

const storedName = (workspaceId: number) => `waypost-qr-style-${workspaceId}`;

/** Stores a style in this browser as the one that codes of a workspace start with. */
export function saveDefaultStyle(workspaceId: number, style: QrStyle): void {
  localStorage.setItem(storedName(workspaceId), JSON.stringify(style));
}

/** The stored style of a workspace; usualStyle without one. */
export function defaultStyle(workspaceId: number): QrStyle {
  return parseStyle(localStorage.getItem(storedName(workspaceId)) ?? "");
}

/** Reads a stored style; each part that is missing or invalid is the usual one. */
export function parseStyle(text: string): QrStyle {
  const stored = parsed(text);
  const colorOf = (name: "color" | "background") => {
    const value = stored[name];
    return typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value) ? value : usualStyle[name];
  };
  const { frameText, hasLogo } = stored;
  return {
    color: colorOf("color"),
    background: colorOf("background"),
    dots: dotShapes.find((shape) => shape === stored["dots"]) ?? usualStyle.dots,
    corners: cornerShapes.find((shape) => shape === stored["corners"]) ?? usualStyle.corners,
    frame: frames.find((frame) => frame === stored["frame"]) ?? usualStyle.frame,
    frameText: typeof frameText === "string" ? frameText.slice(0, frameTextCharactersMax) : "",
    hasLogo: hasLogo !== false,
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    // Nothing is stored, or another program wrote it.
    return {};
  }
}
