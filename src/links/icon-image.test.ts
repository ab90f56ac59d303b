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

const bitmap = (fill: number) =>
  bytesOf(
    "28000000",
    Array.from({ length: 60 }, () => fill),
  );

describe("an icon from another server", () => {
  test.each([
    ["image/png", png(32)],
    ["image/gif", bytesOf("474946383961", [16, 0, 16, 0, 0, 0])],
    ["image/jpeg", bytesOf("ffd8ffe000104a464946")],
    ["image/webp", bytesOf("524946460000000057454250")],
  ])("%s is recognized by its bytes", (type, file) => {
    expect(readIconImage(file)).toEqual({ type, bytes: Uint8Array.from(file) });
  });

  test.each([
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ["a page", Buffer.from("<!doctype html><title>Not found</title>")],
    ["nothing", new Uint8Array()],
    ["a huge picture in a small file", png(60_000)],
    ["a picture without height", png(16, 0)],
    ["a PNG that ends too early", bytesOf("89504e470d0a1a0a")],
    ["an ICO file without images", bytesOf("000001000000")],
    ["an ICO file whose image lies outside", bytesOf("000001000100", "10100000010020000001000016000000")],
    ["an ICO file that holds something else", ico([{ sidePx: 16, image: Buffer.from("<script>") }])],
    [
      "too many bytes",
      bytesOf(
        "ffd8ff",
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
