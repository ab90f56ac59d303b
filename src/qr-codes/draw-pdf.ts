/**
 * Draws a QR code as a PDF with one page, which has the exact printed size of the code.
 * - The code is one vector path; only a logo consists of pixels.
 * - The file is PDF 1.4: the numbered objects in order, a table of their offsets, and a trailer.
 * - It has no metadata, script, link or font, so equal codes have equal bytes.
 */
import { deflateSync } from "node:zlib";
import { decode } from "fast-png";
import type { Color } from "./color.ts";
import { type Path, rectangle, type Step } from "./path.ts";
import type { Scene } from "./scene.ts";

type Content = { foreground: Color; background: Color; widthMm: number; logo: Uint8Array | undefined };

const pointsPerMm = 72 / 25.4;

/** The numbers of the objects, by their positions in the list that drawPdf writes. */
const objects = { pages: 2, page: 3, content: 4, background: 5, foreground: 6, logo: 7 };

/** Draws the scene as a page that is widthMm wide. The logo is a PNG that fitLogo returned. */
export function drawPdf(scene: Scene, { foreground, background, widthMm, logo }: Content): Uint8Array<ArrayBuffer> {
  const scale = (widthMm * pointsPerMm) / scene.width;
  const size = `${decimal(scene.width * scale)} ${decimal(scene.height * scale)}`;
  const page = rectangle({ x: 0, y: 0, width: scene.width, height: scene.height }, [0, 0, 0, 0]);
  const operators = [
    // In a PDF, the y axis points up.
    `${decimal(scale)} 0 0 ${decimal(-scale)} 0 ${decimal(scene.height * scale)} cm`,
    ...fillOperators(page, background, "Background"),
    ...fillOperators(scene.path, foreground, "Foreground"),
    ...(logo === undefined ? [] : [logoOperators(scene.logo)]),
  ];
  const images = logo === undefined ? [] : imageObjects(logo, objects.logo);
  const resources =
    `<< /ExtGState << /Background ${objects.background} 0 R /Foreground ${objects.foreground} 0 R >>` +
    `${logo === undefined ? "" : ` /XObject << /Logo ${objects.logo} 0 R >>`} >>`;
  return file([
    dictionary(`/Type /Catalog /Pages ${objects.pages} 0 R`),
    dictionary(`/Type /Pages /Kids [${objects.page} 0 R] /Count 1`),
    dictionary(
      `/Type /Page /Parent ${objects.pages} 0 R /MediaBox [0 0 ${size}] /Resources ${resources} ` +
        `/Contents ${objects.content} 0 R`,
    ),
    stream("", Buffer.from(operators.join("\n"))),
    dictionary(`/Type /ExtGState /ca ${decimal(background.alpha / 255)}`),
    dictionary(`/Type /ExtGState /ca ${decimal(foreground.alpha / 255)}`),
    ...images,
  ]);
}

/** Fills a path with a color; the graphics state has the color's opacity. */
function fillOperators(path: Path, { red, green, blue }: Color, state: string): string[] {
  const color = [red, green, blue].map((part) => decimal(part / 255)).join(" ");
  return [`/${state} gs`, `${color} rg`, ...path.map(operator), "f*"];
}

function operator(step: Step): string {
  const [command, ...numbers] = step;
  const name = { M: "m", L: "l", C: "c", Z: "h" }[command];
  return [...numbers.map(decimal), name].join(" ");
}

/** Draws the logo in its square. Images are upright when y points up, so the height is negative here. */
function logoOperators({ x, y, side }: Scene["logo"]): string {
  return `q ${decimal(side)} 0 0 ${decimal(-side)} ${decimal(x)} ${decimal(y + side)} cm /Logo Do Q`;
}

/**
 * The image of a logo, which becomes the object with this number, and its opacity mask, which becomes the next one. A
 * transparent border makes both square.
 */
function imageObjects(logo: Uint8Array, number: number): Buffer[] {
  const { width, height, data, palette = [] } = decode(logo);
  const side = Math.max(width, height);
  const colors = Buffer.alloc(side * side * 3);
  const opacities = Buffer.alloc(side * side);
  const left = Math.floor((side - width) / 2);
  const top = Math.floor((side - height) / 2);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette[data[y * width + x] ?? 0] ?? [];
      const at = (top + y) * side + left + x;
      colors.set([red, green, blue], at * 3);
      opacities[at] = alpha;
    }
  }
  const shared = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /BitsPerComponent 8`;
  return [
    stream(`${shared} /ColorSpace /DeviceRGB /SMask ${number + 1} 0 R`, colors),
    stream(`${shared} /ColorSpace /DeviceGray`, opacities),
  ];
}

function dictionary(entries: string): Buffer {
  return Buffer.from(`<< ${entries} >>`);
}

function stream(entries: string, content: Buffer): Buffer {
  const packed = deflateSync(content);
  const head = `<< ${entries} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), packed, Buffer.from("\nendstream")]);
}

/** Numbers the contents of objects from 1; the first one is the catalog. */
function file(contents: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  // The second line tells programs that transfer the file that it is binary.
  const parts = [Buffer.from("%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n", "latin1")];
  let length = parts[0]?.length ?? 0;
  const offsets: number[] = [];
  for (const [index, content] of contents.entries()) {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), content, Buffer.from("\nendobj\n")]);
    parts.push(part);
    length += part.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const count = contents.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R >>\n` +
        `startxref\n${length}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

/** Formats a number without an exponent, which PDF does not allow. */
function decimal(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}
