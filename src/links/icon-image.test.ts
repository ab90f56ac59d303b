import { describe, expect, test } from "bun:test";
import { iconBytesMax, readIconImage } from "./icon-image.ts";

const bytesOf = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "hex")] : part)));
const uint32 = (value: number) => [...new Uint8Array(new Uint32Array([value]).buffer)];

function png(widthPx: number, heightPx = widthPx): Uint8Array<ArrayBuffer> {
  const sides = [widthPx, heightPx].flatMap((side) => uint32(side).reverse());
  return bytesOf("89504e470d0a1a0a0000000d49484452", sides, "08060000000000");
}

/** An ICO file of images, each with its side in pixels. */
function ico(images: readonly { sidePx: number; image: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  let offset = 6 + 16 * images.length;
  const entries = images.map(({ sidePx, image }) => {
    const entry = [sidePx % 256, sidePx % 256, 0, 0, 1, 0, 32, 0, ...uint32(image.byteLength), ...uint32(offset)];
    offset += image.byteLength;
    return entry;
  });
  return bytesOf(
    "00000100",
    [images.length, 0],
    entries.flat(),
    images.flatMap(({ image }) => [...image]),
  );
}

/** A bitmap of an ICO file: its height counts the mask too. */
const bitmap = (fill: number, sidePx = 64) =>
  bytesOf(
    "28000000",
    uint32(sidePx),
    uint32(2 * sidePx),
    Array.from({ length: 60 }, () => fill),
  );
const uint16 = (value: number) => uint32(value).slice(0, 2);

/** A GIF whose screen and first frame have these sides, after an extension. */
const gif = (screenPx: number, framePx: number) =>
  bytesOf(
    "474946383961",
    [...uint16(screenPx), ...uint16(screenPx), 0x80, 0, 0],
    "000000ffffff",
    "21f9040000000000",
    "2c00000000",
    [...uint16(framePx), ...uint16(framePx), 0],
  );
const jpeg = (sidePx: number) => {
  const side = uint16(sidePx).reverse();
  return bytesOf("ffd8ffe000104a46494600010100000100010000", "ffffc0001108", side, side, "03012200021101031101");
};
/** A WebP file whose picture begins with a chunk of this name. */
const webp = (chunk: string, content: number[]) =>
  bytesOf("524946460000000057454250", [...Buffer.from(chunk)], uint32(content.length), content);
const uint24 = (value: number) => uint32(value).slice(0, 3);
const lossless = (sidePx: number) => webp("VP8L", [0x2f, ...uint32((sidePx - 1) * (1 + 2 ** 14)), 0]);
const lossy = (sidePx: number) => webp("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, ...uint16(sidePx), ...uint16(sidePx)]);
const extended = (sidePx: number) => webp("VP8X", [0, 0, 0, 0, ...uint24(sidePx - 1), ...uint24(sidePx - 1)]);

describe("an icon from another server", () => {
  test.each([
    ["image/png", png(32)],
    ["image/gif", gif(16, 16)],
    ["image/jpeg", jpeg(1_024)],
    ["image/webp", lossless(1_024)],
    ["image/webp", lossy(1_024)],
    ["image/webp", extended(1_024)],
  ])("%s is recognized by its bytes", (type, file) => {
    expect(readIconImage(file)).toEqual({ type, bytes: Uint8Array.from(file) });
  });

  test.each([
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ["a page", Buffer.from("<!doctype html><title>Not found</title>")],
    ["nothing", new Uint8Array()],
    ["a huge picture in a small file", png(60_000)],
    ["a GIF with a huge screen", gif(60_000, 16)],
    ["a GIF with a huge frame on a small screen", gif(16, 60_000)],
    ["a huge JPEG", jpeg(60_000)],
    ["a huge lossless WebP", lossless(16_000)],
    ["a huge lossy WebP", lossy(16_000)],
    ["a huge WebP with several parts", extended(1_000_000)],
    ["an ICO file with a huge bitmap", ico([{ sidePx: 16, image: bitmap(0, 20_000) }])],
    ["a JPEG that ends too early", bytesOf("ffd8ffe000104a464946")],
    ["a WebP that ends too early", bytesOf("524946460000000057454250")],
    ["a GIF that ends too early", bytesOf("474946383961", [16, 0, 16, 0, 0, 0])],
    ["a picture without height", png(16, 0)],
    ["a PNG that ends too early", bytesOf("89504e470d0a1a0a")],
    ["an ICO file without images", bytesOf("000001000000")],
    ["an ICO file whose image lies outside", bytesOf("000001000100", "10100000010020000001000016000000")],
    ["an ICO file that holds something else", ico([{ sidePx: 16, image: Buffer.from("<script>") }])],
    [
      "too many bytes",
      bytesOf(
        [...png(32)],
        Array.from({ length: iconBytesMax }, () => 0),
      ),
    ],
  ])("%s is refused", (_, file) => {
    expect(readIconImage(file)).toBeUndefined();
  });

  test("of an ICO file with several sizes, the best one is kept alone", () => {
    const images = [
      { sidePx: 16, image: bitmap(1) },
      { sidePx: 64, image: bitmap(2) },
      { sidePx: 256, image: bitmap(3) },
    ];

    const icon = readIconImage(ico(images));

    expect(icon).toEqual({ type: "image/x-icon", bytes: ico([{ sidePx: 64, image: bitmap(2) }]) });
  });

  test("a PNG in an ICO file is kept as a PNG", () => {
    expect(readIconImage(ico([{ sidePx: 48, image: png(48) }]))).toEqual({ type: "image/png", bytes: png(48) });
  });
});
