import { describe, expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { coverage } from "./coverage.ts";
import { drawQrCode } from "./draw-qr-code.ts";
import { type Path, rectangle, type Step } from "./path.ts";
import { type QrCodeRequest, sizePxMax, textBytesMax } from "./qr-code.ts";
import { cornerShapes, dotShapes, frames, frameTextCharactersMax, plainStyle } from "./qr-style.ts";

const shortLink = "https://go.example.com/spring?qr=1";
const longLink = `https://go.example.com/${"z".repeat(200)}`;

const request: QrCodeRequest = {
  text: shortLink,
  format: "png",
  sizePx: 600,
  widthMm: 50,
  level: "L",
  foreground: { red: 0, green: 0, blue: 0, alpha: 255 },
  background: { red: 255, green: 255, blue: 255, alpha: 255 },
  margin: 2,
  style: plainStyle,
  logo: null,
};

const redLogo = (() => {
  const image = new PNG({ width: 40, height: 40 });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([255, 0, 0, 255], at);
  return `data:image/png;base64,${PNG.sync.write(image).toString("base64")}`;
})();

async function bytesOf(changes: Partial<QrCodeRequest>): Promise<Uint8Array> {
  const drawing = await drawQrCode({ ...request, ...changes });
  if (drawing.kind !== "drawn") throw new Error(`Not drawn: ${JSON.stringify(drawing)}`);
  return drawing.bytes;
}

/** The PNG as third-party decoders read it; `text` is decoded when it is read. */
async function read(changes: Partial<QrCodeRequest>) {
  const { width, height, data } = PNG.sync.read(Buffer.from(await bytesOf(changes)));
  const pixel = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
  return {
    ...{ width, height, pixel },
    get text() {
      return decode(new Uint8ClampedArray(data), width, height);
    },
  };
}

const styles = dotShapes.flatMap((dots) =>
  cornerShapes.flatMap((corners) => frames.map((frame) => ({ dots, corners, frame, text: "Scan me: 10 € off" }))),
);

describe("every style can be scanned", () => {
  test.each(styles)("$dots dots, $corners corners, frame: $frame", async (style) => {
    const drawings = [
      { text: shortLink, logo: null, sizePx: 300 },
      { text: longLink, logo: redLogo, sizePx: 300 },
    ];
    const unreadable: unknown[] = [];
    for (const drawing of drawings) {
      const decoded = await read({ ...drawing, style });
      if (decoded.text !== drawing.text || decoded.width !== drawing.sizePx) unreadable.push({ ...drawing, decoded });
    }

    expect(unreadable).toEqual([]);
  });

  test("at the smallest size that is not refused, and at the largest", async () => {
    for (const style of styles.filter(({ dots }) => dots !== "square")) {
      const refusal = await drawQrCode({ ...request, sizePx: 50, style });
      const sizePxMin = refusal.kind === "sizeTooSmall" ? refusal.sizePxMin : 0;

      expect({ style, text: (await read({ style, sizePx: sizePxMin })).text }).toEqual({ style, text: shortLink });
    }
    const largest = { dots: "dots", corners: "circle", frame: "banner", text: "Scan me" } as const;

    expect((await read({ style: largest, sizePx: sizePxMax })).text).toBe(shortLink);
  });

  test("with the longest text", async () => {
    const text = `https://a.example/${"b".repeat(textBytesMax.L)}`.slice(0, textBytesMax.L);
    const style = { dots: "rounded", corners: "rounded", frame: "banner", text: "Scan me" } as const;

    const decoded = await read({ text, style, sizePx: 800 });

    expect(decoded.text).toBe(text);
  });

  test.each(styles.filter(({ corners, dots }) => corners === "circle" && dots !== "square"))(
    "as an SVG and as a PDF: $dots dots, frame: $frame",
    async (style) => {
      for (const logo of [null, redLogo]) {
        const svg = new TextDecoder().decode(await bytesOf({ format: "svg", style, logo }));
        const pdf = await bytesOf({ format: "pdf", style, logo });

        expect([decodePath(svgPath(svg)), decodePath(pdfPath(pdf))]).toEqual([shortLink, shortLink]);
      }
    },
  );
});

describe("a frame", () => {
  test("adds to the height, in the code's colors, and has a margin of 4 modules", async () => {
    const style = { ...plainStyle, frame: "banner", text: "Scan me" } as const;
    const foreground = { red: 0, green: 0, blue: 139, alpha: 255 };
    const { width, height, pixel } = await read({ style, foreground, margin: 0 });

    expect([width, height > 650]).toEqual([600, true]);
    expect([pixel(300, 2), pixel(300, 40), pixel(20, height - 30)]).toEqual([
      [0, 0, 139, 255],
      [255, 255, 255, 255],
      [0, 0, 139, 255],
    ]);
  });

  test("without a text is only a border, or nothing", async () => {
    const plainText = await read({ style: { ...plainStyle, frame: "text" } });
    const banner = await read({ style: { ...plainStyle, frame: "banner" } });

    expect([plainText.height, banner.height, banner.text]).toEqual([600, 600, shortLink]);
  });

  test.each([
    "Größe",
    "Сканируй меня",
    "Σκάναρέ με",
    "Quét mã này",
    "e\u0301te\u0301",
    "W".repeat(frameTextCharactersMax),
  ])("can show: %s", async (text) => {
    expect((await read({ style: { ...plainStyle, frame: "badge", text } })).text).toBe(shortLink);
  });

  test.each([
    ["扫我", ["扫", "我"]],
    ["Hi 🎉", ["🎉"]],
    ["مرحبا", ["م", "ر", "ح", "ب", "ا"]],
    ["a\nb", ["\n"]],
  ])("refuses characters that the font lacks: %j", async (text, characters) => {
    const drawing = await drawQrCode({ ...request, style: { ...plainStyle, frame: "text", text } });

    expect(drawing).toEqual({ kind: "charactersMissing", characters });
  });
});

describe("a PDF", () => {
  test("is one page of the requested width, with a table of its objects", async () => {
    const text = Buffer.from(await bytesOf({ format: "pdf", widthMm: 100, logo: redLogo })).toString("latin1");
    const [, tableStart = ""] = /startxref\n(\d+)\n%%EOF\n$/.exec(text) ?? [];
    const table = text.slice(Number(tableStart));
    const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));

    expect(text).toContain("/MediaBox [0 0 283.4646 283.4646]");
    expect(table).toStartWith(`xref\n0 ${offsets.length + 1}\n`);
    expect(offsets.map((offset, index) => text.startsWith(`${index + 1} 0 obj\n`, offset))).toEqual(
      offsets.map(() => true),
    );
  });
});

test("coverage is exact for edges between pixels, and leaves holes", () => {
  const square = (at: number, side: number) => rectangle({ x: at, y: at, width: side, height: side }, [0, 0, 0, 0]);

  const covered = coverage([...square(0.5, 3), ...square(1, 1)], { width: 4, height: 4 });

  expect([...covered]).toEqual([0.25, 0.5, 0.5, 0.25, 0.5, 0, 1, 0.5, 0.5, 1, 1, 0.5, 0.25, 0.5, 0.5, 0.25]);
});

/** The width in pixels at which the paths of an SVG and a PDF are decoded. */
const pathWidthPx = 300;

/** Reads the foreground's path of an SVG, in pixels of that width. */
function svgPath(svg: string): { path: Path; height: number } {
  const [, width = 0, height = 0] = (/viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []).map(Number);
  const scale = pathWidthPx / width;
  const path = [...svg.matchAll(/ d="([^"]+)"/g)][1]?.[1] ?? "";
  const steps = [...path.matchAll(/([MLCZ])([^MLCZ]*)/g)].map(([, name = "", numbers = ""]) =>
    stepOf(name, numbers === "" ? [] : numbers.split(" ").map((number) => Number(number) * scale)),
  );
  return { path: steps, height: Math.ceil(height * scale) };
}

/** Reads the foreground's path of a PDF, in pixels of that width. */
function pdfPath(pdf: Uint8Array): { path: Path; height: number } {
  const text = Buffer.from(pdf).toString("latin1");
  const [, length = ""] = /4 0 obj\n<<[^>]*\/Length (\d+) >>\nstream\n/.exec(text) ?? [];
  const start = text.indexOf("stream\n", text.indexOf("4 0 obj")) + "stream\n".length;
  const content = inflateSync(pdf.subarray(start, start + Number(length))).toString();
  const [, width = 0, height = 0] = (/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text) ?? []).map(Number);
  const [, unit = 0] = (/^([\d.]+) 0 0 -/.exec(content) ?? []).map(Number);
  const scale = (unit * pathWidthPx) / width;
  const path = content.slice(content.indexOf("/Foreground gs"));
  const steps = [...path.matchAll(/^([-\d. ]*)\b([mlch])$/gm)].map(([, numbers = "", name = ""]) =>
    stepOf(
      { m: "M", l: "L", c: "C", h: "Z" }[name] ?? "",
      numbers.trim() === ""
        ? []
        : numbers
            .trim()
            .split(" ")
            .map((number) => Number(number) * scale),
    ),
  );
  return { path: steps, height: Math.ceil((height * pathWidthPx) / width) };
}

function stepOf(name: string, [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: number[]): Step {
  if (name === "M" || name === "L") return [name, a, b];
  return name === "C" ? ["C", a, b, c, d, e, f] : ["Z"];
}

function decodePath({ path, height }: { path: Path; height: number }): string | undefined {
  const width = pathWidthPx;
  const covered = coverage(path, { width, height });
  const pixels = new Uint8ClampedArray(covered.length * 4);
  for (const [index, share] of covered.entries()) {
    const light = Math.round(255 * (1 - share));
    pixels.set([light, light, light, 255], index * 4);
  }
  return decode(pixels, width, height);
}

/** Dark modules on a light background only, since the search for inverted codes takes as long again. */
function decode(pixels: Uint8ClampedArray, width: number, height: number): string | undefined {
  return jsQR(pixels, width, height, { inversionAttempts: "dontInvert" })?.data;
}
