/** How a QR code is to look. */
export type QrOptions = {
  shortLink: string;
  format: "png" | "svg";
  /** Pixels of a side. */
  size: number;
  /** Hexadecimal, such as #1d4ed8; black when absent. */
  color?: string;
  hideLogo?: boolean;
};

/** Where the picture of a short link's QR code is. Visits by it are told apart from clicks. */
export function qrUrl({ shortLink, format, size, color, hideLogo = false }: QrOptions): string {
  const query = new URLSearchParams({ url: `${shortLink}?qr=1`, format, size: String(size) });
  if (color !== undefined) query.set("fgColor", color);
  if (hideLogo) query.set("hideLogo", "true");
  return `/v1/qr?${query}`;
}
