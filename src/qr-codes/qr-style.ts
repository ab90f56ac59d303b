/** The shapes of the modules. */
export const dotShapes = ["square", "rounded", "dots"] as const;
/** The shapes of the three finder patterns in the corners. */
export const cornerShapes = ["square", "rounded", "circle"] as const;
/** What surrounds a code: nothing, a line of text below it, a border with the text at its foot, or a label below. */
export const frames = ["none", "text", "banner", "badge"] as const;

/** Characters of a frame's text: longer lines would be too small to read. */
export const frameTextCharactersMax = 40;

/** The look of a QR code apart from its colors. */
export type QrStyle = {
  dots: (typeof dotShapes)[number];
  corners: (typeof cornerShapes)[number];
  frame: (typeof frames)[number];
  /** The frame's line of text; empty for none. */
  text: string;
};

/** A complete look that a workspace saves, with the names of the API's parameters. Colors have the form #1a2b3c. */
export type SavedQrStyle = Pick<QrStyle, "dots" | "corners" | "frame"> & {
  fgColor: string;
  bgColor: string;
  frameText: string;
  hideLogo: boolean;
};

/** Square modules without a frame. */
export const plainStyle: QrStyle = { dots: "square", corners: "square", frame: "none", text: "" };

/** True for square modules without a frame, which are drawn from rectangles only. */
export function isPlain({ dots, corners, frame }: QrStyle): boolean {
  return dots === "square" && corners === "square" && frame === "none";
}
