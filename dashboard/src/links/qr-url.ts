import type { operations } from "../../../sdk/schema.d.ts";
import type { QrStyle } from "./qr-style.ts";

/** The format of a file, and its size: pixels of a PNG's or an SVG's width, or millimeters of a PDF's. */
export type QrFile = { format: "png" | "svg" | "pdf"; size: number };

/** The options of a QR code; without a style, it is black on white, with the domain's logo. */
export type QrOptions = QrFile & { shortLink: string; style?: QrStyle };

type QrQuery = operations["getQrCode"]["parameters"]["query"];

/** The URL of a short link's QR code. */
export function qrUrl(options: QrOptions): string {
  const query = Object.entries(qrQuery(options)).map(([name, value]) => [name, String(value)]);
  return `/v1/qr?${new URLSearchParams(query)}`;
}

/** The API's parameters for a short link's QR code. Clicks through it are counted as scans. */
export function qrQuery({ shortLink, format, size, style }: QrOptions): QrQuery {
  const file = { url: `${shortLink}?qr=1`, format, ...(format === "pdf" ? { widthMm: size } : { size }) };
  if (style === undefined) return file;
  const { color, background, dots, corners, frame, frameText, hasLogo } = style;
  return {
    ...file,
    fgColor: color,
    bgColor: background,
    ...(dots !== "square" && { dots }),
    ...(corners !== "square" && { corners }),
    ...(frame !== "none" && { frame, frameText }),
    ...(!hasLogo && { hideLogo: true }),
  };
}
