/** The options of a QR code. */
export type QrOptions = {
  shortLink: string;
  format: "png" | "svg";
  /** Width and height in pixels. */
  size: number;
  /** Hexadecimal, such as #1d4ed8; black when absent. */
  color?: string;
  hideLogo?: boolean;
};

/** The URL of a short link's QR code. Clicks through it are counted as scans. */
export function qrUrl({ shortLink, format, size, color, hideLogo = false }: QrOptions): string {
  const query = new URLSearchParams({ url: `${shortLink}?qr=1`, format, size: String(size) });
  if (color !== undefined) query.set("fgColor", color);
  if (hideLogo) query.set("hideLogo", "true");
  return `/v1/qr?${query}`;
}
