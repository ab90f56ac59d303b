/**
 * Reads icons from other servers. Only raster images pass: an SVG may contain a script, and a page may be sent as an
 * image. The bytes decide about the type, not the server.
 */
import { bitmapSize, hexAt, type ImageSize, type ImageType, imageSize, viewOf } from "../base/image-size.ts";

/** Bytes of an icon that is kept; an icon of 64 pixels has about 5,000. */
export const iconBytesMax = 32 * 1024;
/** Length of a side in pixels: a small file may hold a huge picture, which would cost the browser its memory. */
const sidePxMax = 1_024;
/** The size that the dashboard shows, on a display with two pixels for one. */
const wantedPx = 48;

/** An icon with the type that its bytes prove. */
export type IconImage = { type: string; bytes: Uint8Array<ArrayBuffer> };

/** The icon in a file; undefined unless it is a PNG, GIF, JPEG, WebP or ICO image within the bounds. */
export function readIconImage(file: Uint8Array): IconImage | undefined {
  const image = hexAt(file, 0, 4) === "00000100" ? bestOfIco(file) : simpleImage(file);
  return image === undefined || image.bytes.byteLength > iconBytesMax ? undefined : image;
}

function simpleImage(file: Uint8Array): IconImage | undefined {
  const type = typeOf(file);
  const size = type && imageSize(type, file);
  if (type === undefined || size === undefined || !isSmall(size)) return undefined;
  return { type, bytes: Uint8Array.from(file) };
}

function typeOf(file: Uint8Array): ImageType | undefined {
  const text = Buffer.from(file.subarray(0, 16)).toString("latin1");
  if (hexAt(file, 0, 8) === "89504e470d0a1a0a") return "image/png";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (hexAt(file, 0, 3) === "ffd8ff") return "image/jpeg";
  return /^RIFF.{4}WEBP/s.test(text) ? "image/webp" : undefined;
}

function isSmall({ width, height }: ImageSize): boolean {
  return width > 0 && height > 0 && width <= sidePxMax && height <= sidePxMax;
}

const icoHeaderBytes = 6;
const icoEntryBytes = 16;
/** Images of an ICO file that are considered. */
const icoEntriesMax = 32;

/** An ICO file holds several sizes: returns the smallest that is large enough, alone, in a file of the same type. */
function bestOfIco(file: Uint8Array): IconImage | undefined {
  if (file.byteLength < icoHeaderBytes) return undefined;
  const view = viewOf(file);
  const count = Math.min(view.getUint16(4, true), icoEntriesMax);
  const entries = Array.from({ length: count }, (_, index) => icoEntry(file, view, index)).filter(
    (entry) => entry !== undefined,
  );
  const [best] = entries.toSorted((a, b) => distance(a.sidePx) - distance(b.sidePx) || b.bits - a.bits);
  if (best === undefined) return undefined;
  const embedded = simpleImage(best.image);
  if (embedded !== undefined) return embedded;
  const size = bitmapSize(best.image);
  if (size === undefined || !isSmall(size)) return undefined;
  const bytes = new Uint8Array(icoHeaderBytes + icoEntryBytes + best.image.byteLength);
  bytes.set([0, 0, 1, 0, 1, 0]);
  bytes.set(best.head, icoHeaderBytes);
  viewOf(bytes).setUint32(icoHeaderBytes + 12, icoHeaderBytes + icoEntryBytes, true);
  bytes.set(best.image, icoHeaderBytes + icoEntryBytes);
  return { type: "image/x-icon", bytes };
}

function icoEntry(file: Uint8Array, view: DataView, index: number) {
  const start = icoHeaderBytes + index * icoEntryBytes;
  if (start + icoEntryBytes > file.byteLength) return undefined;
  const size = view.getUint32(start + 8, true);
  const offset = view.getUint32(start + 12, true);
  if (size === 0 || size > iconBytesMax || offset + size > file.byteLength) return undefined;
  return {
    // 0 stands for 256.
    sidePx: view.getUint8(start) || 256,
    bits: view.getUint16(start + 6, true),
    head: file.subarray(start, start + icoEntryBytes),
    image: file.subarray(offset, offset + size),
  };
}

/** Too small is worse than too large. */
function distance(sidePx: number): number {
  return sidePx >= wantedPx ? sidePx - wantedPx : (wantedPx - sidePx) * 8;
}
