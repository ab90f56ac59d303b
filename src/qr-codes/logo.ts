/** Pixels of an uploaded image; a small file can claim far more, each of which would take 4 bytes of memory. */
export const logoPixelsMax = 2_048 ** 2;

/** Colors of a logo: a palette has 256, and a code two of its own. */
const colorsMax = 254;

/**
 * The image of a data URL as a PNG with a palette that fits a square, in its own proportions; undefined for what is no such image.
 * Guarantee: nothing is fetched; of the file, only pixels and color profile go into the answer.
 */
export async function fitLogo(dataUrl: string, sidePx: number): Promise<Uint8Array | undefined> {
  const base64 = /^data:image\/[a-z]+;base64,(.+)$/.exec(dataUrl)?.[1];
  if (base64 === undefined || sidePx < 1) return undefined;
  try {
    const image = new Bun.Image(Buffer.from(base64, "base64"), { maxPixels: logoPixelsMax });
    const fitted = image.resize(sidePx, sidePx, { fit: "inside" });
    return await fitted.png({ palette: true, colors: colorsMax, dither: true }).bytes();
  } catch {
    // Broken, too large, or of a format of another system: the code is of use without it.
    return undefined;
  }
}
