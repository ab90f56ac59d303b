/** The result of reading a file that a person chose as an image. */
type ReadImage = { kind: "image"; dataUrl: string } | { kind: "noImage" } | { kind: "tooLarge" };

type Bounds = { sizePxMax: number; bytesMax: number };

const unchangedTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const webpQuality = 0.9;

/**
 * Reads an image file as a data URL: unchanged when it is small enough, otherwise redrawn at a size that fits, if one
 * does.
 */
export async function readImage(file: File, { sizePxMax, bytesMax }: Bounds): Promise<ReadImage> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return { kind: "noImage" };
  const isSmall = Math.max(bitmap.width, bitmap.height) <= sizePxMax && file.size <= bytesMax;
  if (isSmall && unchangedTypes.includes(file.type)) return { kind: "image", dataUrl: await dataUrlOf(file) };
  // Few images need the second attempt.
  for (const sizePx of [sizePxMax, sizePxMax / 2, sizePxMax / 4]) {
    const drawn = await draw(bitmap, sizePx);
    if (drawn !== null && drawn.size <= bytesMax) return { kind: "image", dataUrl: await dataUrlOf(drawn) };
  }
  return { kind: "tooLarge" };
}

async function draw(bitmap: ImageBitmap, sizePxMax: number): Promise<Blob | null> {
  const scale = Math.min(1, sizePxMax / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  // Browsers that cannot write WebP write PNG.
  return await new Promise((resolve) => canvas.toBlob(resolve, "image/webp", webpQuality));
}

function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("The file could not be read."));
    reader.readAsDataURL(blob);
  });
}
