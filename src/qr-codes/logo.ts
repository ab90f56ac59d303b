/** Pixels of an uploaded image: a small file can claim far more, and each takes 4 bytes of memory. */
export const logoPixelsMax = 2_048 ** 2;

/** Colors of a logo: a palette has 256, and the shades of a styled code use up to 64. */
const colorsMax = 192;

/**
 * The image of a data URL as a PNG with a palette that fits a square and keeps its proportions; undefined for an
 * unusable image.
 * Guarantee: fetches nothing; only the pixels and the color profile of the file enter the result.
 */
export async function fitLogo(dataUrl: string, sidePx: number): Promise<Uint8Array | undefined> {
  const base64 = /^data:image\/[a-z]+;base64,(.+)$/.exec(dataUrl)?.[1];
  if (base64 === undefined || sidePx < 1) return undefined;
  try {
    const image = new Bun.Image(Buffer.from(base64, "base64"), { maxPixels: logoPixelsMax });
    const fitted = image.resize(sidePx, sidePx, { fit: "inside" });
    return await fitted.png({ palette: true, colors: colorsMax, dither: true }).bytes();
  } catch {
    // Broken, too large, or of an unsupported format: the code is useful without it.
    return undefined;
  }
}
