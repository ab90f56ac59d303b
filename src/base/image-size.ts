/**
 * Reads the size of a picture from its file, without decoding it. A file of some bytes can state any size, for which a
 * browser would reserve memory.
 */

/** The types of pictures whose size is read. */
export type ImageType = "image/png" | "image/gif" | "image/jpeg" | "image/webp";

/** The size of a picture in pixels. */
export type ImageSize = { width: number; height: number };

/** The size that a picture of a type states, the largest one if it states several; undefined for a damaged file. */
export function imageSize(type: ImageType, file: Uint8Array): ImageSize | undefined {
  try {
    return readers[type](file, viewOf(file));
  } catch (error) {
    // The file ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Throws RangeError for a file that ends too early, like DataView. */
type Reader = (file: Uint8Array, view: DataView) => ImageSize | undefined;

/** TABLE of the readers by type. */
const readers: Record<ImageType, Reader> = {
  "image/png": (_, view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": gifSize,
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Browsers enlarge the picture to its first frame. */
const gifFrameMarker = 0x2c;
const gifExtensionMarker = 0x21;

function gifSize(_: Uint8Array, view: DataView): ImageSize | undefined {
  const screen = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  let at = 13 + colorTableBytes(view.getUint8(10));
  // An extension has blocks, each with its length; every one moves `at` towards the end of the file.
  while (view.getUint8(at) === gifExtensionMarker) {
    at += 2;
    for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += 1 + length;
    at++;
  }
  if (view.getUint8(at) !== gifFrameMarker) return undefined;
  const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true);
  const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true);
  return { width: Math.max(screen.width, right), height: Math.max(screen.height, bottom) };
}

function colorTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** The markers of frames (SOF0 to SOF15); three of the same range have other meanings. */
const isJpegFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(_: Uint8Array, view: DataView): ImageSize | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // A marker may be padded with bytes of 0xff.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (isJpegFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(file: Uint8Array, view: DataView): ImageSize | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16;
  switch (Buffer.from(file.subarray(12, 16)).toString("latin1")) {
    case "VP8X":
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

const bitmapHeaderBytes = 40;

/** The size of a bitmap in an ICO file, whose height counts its mask too; undefined for another header. */
export function bitmapSize(bitmap: Uint8Array): ImageSize | undefined {
  if (hexAt(bitmap, 0, 4) !== "28000000" || bitmap.byteLength < bitmapHeaderBytes) return undefined;
  const view = viewOf(bitmap);
  return { width: view.getInt32(4, true), height: Math.ceil(Math.abs(view.getInt32(8, true)) / 2) };
}

/** A view of exactly these bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Some bytes as hex digits. */
export function hexAt(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.subarray(start, start + length)).toString("hex");
}
