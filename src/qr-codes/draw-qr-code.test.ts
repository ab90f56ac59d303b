import { describe, expect, test } from "bun:test";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { type Color, readColor } from "./color.ts";
import { drawQrCode } from "./draw-qr-code.ts";
import { logoPixelsMax } from "./logo.ts";
import {
  encodeText,
  type Level,
  levels,
  logoSquare,
  marginMax,
  moduleEdges,
  type QrCodeRequest,
  sizePxMax,
  textBytesMax,
} from "./qr-code.ts";
import { plainStyle } from "./qr-style.ts";

const shortLink = "https://go.example.com/spring?qr=1";

function color(text: string): Color {
  const read = readColor(text);
  if (read === undefined) throw new Error(`${text} is no color.`);
  return read;
}

const plain: QrCodeRequest = {
  text: shortLink,
  format: "png",
  sizePx: 600,
  widthMm: 50,
  level: "L",
  foreground: color("#000000"),
  background: color("#FFFFFF"),
  margin: 2,
  style: plainStyle,
  logo: null,
};

async function bytesOf(request: Partial<QrCodeRequest>): Promise<Uint8Array> {
  const drawing = await drawQrCode({ ...plain, ...request });
  if (drawing.kind !== "drawn") throw new Error(`Not drawn: ${JSON.stringify(drawing)}`);
  return drawing.bytes;
}

/** The picture as third-party decoders read it; `text` is decoded when it is read. */
async function picture(request: Partial<QrCodeRequest>) {
  const { width, height, data } = PNG.sync.read(Buffer.from(await bytesOf(request)));
  const pixel = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
  const decoded = () => jsQR(new Uint8ClampedArray(data), width, height, { inversionAttempts: "dontInvert" })?.data;
  return {
    ...{ width, height, pixel },
    get text() {
      return decoded();
    },
  };
}

async function svg(request: Partial<QrCodeRequest>): Promise<string> {
  return new TextDecoder().decode(await bytesOf({ ...request, format: "svg" }));
}

/** An image of one color as a data URL, made by a third-party encoder. */
function imageUrl(width: number, height: number, [red = 0, green = 0, blue = 0, alpha = 255]: number[]): string {
  const image = new PNG({ width, height });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([red, green, blue, alpha], at);
  return `data:image/png;base64,${PNG.sync.write(image).toString("base64")}`;
}

const redLogo = imageUrl(40, 20, [255, 0, 0]);

describe("a PNG", () => {
  const texts = [
    shortLink,
    "https://go.example.com",
    "http://localhost:3000/a?qr=1",
    "https://xn--mnchen-3ya.example/%C3%BCber/%F0%9F%8E%89?qr=1",
    "HTTPS://EXAMPLE.COM/ONLY-UPPER-CASE",
    `https://go.example.com/${"aB3_".repeat(50)}?qr=1`,
    `https://go.example.com/${"z".repeat(1_200)}`,
  ];
  // A logo raises every level to H.
  const variants = [...levels.map((level) => ({ level, hasLogo: false })), { level: "L" as const, hasLogo: true }];
  test.each(texts.flatMap((text) => variants.map((variant) => ({ text, ...variant }))))(
    "decodes to its text: %o",
    async ({ text, level, hasLogo }) => {
      const logo = hasLogo ? redLogo : null;

      expect(await picture({ text, level, logo })).toMatchObject({ text, width: 600, height: 600 });
    },
  );

  const sizes = [70, 99, 100, 333, 600].flatMap((sizePx) => [0, 1, 2, marginMax].map((margin) => ({ sizePx, margin })));
  test.each([...sizes, { sizePx: sizePxMax, margin: marginMax }])(
    "has exactly the requested pixels: $sizePx, with a margin of $margin",
    async ({ sizePx, margin }) => {
      const { width, height } = await picture({ text: "https://a.example", sizePx, margin });

      expect([width, height]).toEqual([sizePx, sizePx]);
    },
  );

  test("holds the longest text of each level", async () => {
    for (const level of levels) {
      const text = `https://a.example/${"b".repeat(textBytesMax[level])}`.slice(0, textBytesMax[level]);

      expect((await picture({ text, level, sizePx: 800 })).text).toBe(text);
    }
  });

  test.each([
    ["#123", "#FFF", [0x11, 0x22, 0x33, 255], [255, 255, 255, 255]],
    ["#00008B", "#FFEFD5", [0, 0, 139, 255], [255, 239, 213, 255]],
    ["#102030FF", "#FFFFFF00", [16, 32, 48, 255], [255, 255, 255, 0]],
    ["#00000080", "#FFFF0040", [0, 0, 0, 128], [255, 255, 0, 64]],
  ])("is drawn in its colors, with and without a logo: %s on %s", async (fgColor, bgColor, dark, light) => {
    for (const logo of [null, redLogo]) {
      const { pixel } = await picture({ foreground: color(fgColor), background: color(bgColor), logo });
      const margin = pixel(0, 0);
      const code = encodeText(shortLink, logo === null ? "L" : "H");
      const edge = moduleEdges(code?.length ?? 0, 2, 600)?.[0] ?? 0;

      // The corner of a code is dark.
      expect({ margin, corner: pixel(edge, edge) }).toEqual({ margin: light, corner: dark });
    }
  });

  test("has the requested margin, in modules", async () => {
    const modules = encodeText(shortLink, "L")?.length ?? 0;
    const sizePx = (modules + 8) * 10;
    const { pixel } = await picture({ margin: 4, sizePx });

    const isDark = [39, 40].map((at) => pixel(at, at)[0] === 0);
    expect(isDark).toEqual([false, true]);
  });
});

describe("a logo", () => {
  test("is centered with its proportions and raises the level to H", async () => {
    const { pixel, text } = await picture({ logo: redLogo });

    expect(text).toBe(shortLink);
    expect(pixel(300, 300)).toEqual([255, 0, 0, 255]);
    const modules = encodeText(shortLink, "H")?.length ?? 0;
    const edges = moduleEdges(modules, 2, 600) ?? [];
    const { from, modules: side } = logoSquare(modules);
    // Twice as wide as high: the free square is empty above and below.
    expect(pixel(300, (edges[from] ?? 0) + 3)).toEqual([255, 255, 255, 255]);
    expect(side / modules).toBeLessThanOrEqual(0.25);
  });

  test("lets the background show through where it is transparent", async () => {
    const seeThrough = imageUrl(30, 30, [255, 0, 0, 0]);
    const halfRed = imageUrl(30, 30, [255, 0, 0, 128]);

    expect((await picture({ logo: seeThrough, background: color("#00FF00") })).pixel(300, 300)).toEqual([
      0, 255, 0, 255,
    ]);
    const [red = 0, green = 0, blue = 0, alpha] = (await picture({ logo: halfRed })).pixel(300, 300);
    expect([red, Math.abs(green - 127) <= 2, green === blue, alpha]).toEqual([255, true, true, 255]);
  });

  test.each(["jpeg", "webp"] as const)("can be a %s", async (format) => {
    const source = Buffer.from(redLogo.slice(redLogo.indexOf(",") + 1), "base64");
    const bytes = await new Bun.Image(source)[format]().bytes();
    const logo = `data:image/${format};base64,${Buffer.from(bytes).toString("base64")}`;

    const [red = 0, green = 255] = (await picture({ logo })).pixel(300, 300);

    expect([red > 240, green < 15]).toEqual([true, true]);
  });

  test.each([
    ["broken", "data:image/png;base64,AAAA"],
    ["no image", "data:image/png;base64,PHN2Zy8+"],
    ["an address", "https://example.com/logo.png"],
    ["of too many pixels", imageUrl(2, logoPixelsMax / 2 + 1, [0, 0, 0])],
  ])("that is %s is left out", async (_, logo) => {
    expect(await bytesOf({ logo })).toEqual(await bytesOf({}));
    expect(await svg({ logo })).toBe(await svg({}));
  });

  test("is left out when the text is too long for level H", async () => {
    const text = `https://a.example/${"b".repeat(textBytesMax.H)}`;

    expect(await bytesOf({ text, logo: redLogo })).toEqual(await bytesOf({ text }));
  });

  test("is part of the SVG itself, as pixels only", async () => {
    const [, href = ""] = /<image [^>]*href="([^"]+)"/.exec(await svg({ logo: redLogo })) ?? [];

    const { width, height, data } = PNG.sync.read(Buffer.from(href.replace("data:image/png;base64,", ""), "base64"));
    expect([width, height, ...data.subarray(0, 4)]).toEqual([256, 128, 255, 0, 0, 255]);
  });
});

describe("an SVG", () => {
  test.each([
    ["L", 2, false],
    ["Q", 0, false],
    ["H", 5, true],
  ] as const)("has the same modules as the PNG: level %s, margin %d, logo %s", async (level, margin, hasLogo) => {
    const request = { level, margin, logo: hasLogo ? redLogo : null };
    const text = await svg(request);
    const [, side = 0] = /viewBox="0 0 (\d+) \d+"/.exec(text)?.map(Number) ?? [];
    const dark = darkModules(text);
    const { pixel } = await picture({ ...request, sizePx: side * 10 });
    const { from, modules } = logoSquare(side - 2 * request.margin);
    const isLogo = (at: number) =>
      request.logo !== null && at >= from + request.margin && at < from + request.margin + modules;

    const different: string[] = [];
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        if (isLogo(x) && isLogo(y)) continue;
        const isDark = pixel(x * 10 + 5, y * 10 + 5)[0] === 0;
        if (isDark !== dark.has(`${x},${y}`)) different.push(`${x},${y}`);
      }
    }
    expect(different).toEqual([]);
    expect(dark.size).toBeGreaterThan(100);
  });

  test("is well-formed, with the requested size and colors", async () => {
    const text = await svg({ foreground: color("#abc"), background: color("#11223380"), sizePx: 320, logo: redLogo });
    const seen: string[] = [];
    const rewriter = new HTMLRewriter().on("*", { element: ({ tagName }) => void seen.push(tagName) });
    await rewriter.transform(new Response(text)).text();

    expect(seen).toEqual(["svg", "path", "path", "image"]);
    expect(text).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox=');
    expect(text.match(/fill="[^"]+"/g)).toEqual(['fill="#112233"', 'fill="#aabbcc"']);
    expect(text.match(/fill-opacity="[^"]+"/g)).toEqual(['fill-opacity="0.502"']);
  });
});

describe("no QR code is drawn for", () => {
  test.each(levels)("a text longer than level %s holds", async (level: Level) => {
    const text = "a".repeat(textBytesMax[level] + 1);

    expect(await drawQrCode({ ...plain, text, level })).toEqual({ kind: "textTooLong", bytesMax: textBytesMax[level] });
  });

  test("modules of less than a pixel; the error names a sufficient size", async () => {
    const request = { ...plain, text: "a".repeat(2_000), sizePx: 50 };

    const refusal = await drawQrCode(request);

    expect(refusal.kind).toBe("sizeTooSmall");
    const sizePx = refusal.kind === "sizeTooSmall" ? refusal.sizePxMin : 0;
    expect((await drawQrCode({ ...request, sizePx })).kind).toBe("drawn");
    expect((await drawQrCode({ ...request, sizePx: sizePx - 1 })).kind).toBe("sizeTooSmall");
  });
});

/** Coordinates of the modules that the runs of an SVG's second path cover. */
function darkModules(text: string): Set<string> {
  const path = [...text.matchAll(/<path [^>]*d="([^"]+)"/g)][1]?.[1] ?? "";
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)].map(([, ...numbers]) => numbers.map(Number));
  return new Set(runs.flatMap(([x = 0, y = 0, length = 0]) => Array.from({ length }, (_, step) => `${x + step},${y}`)));
}
