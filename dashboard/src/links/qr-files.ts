import { shortLinkParts } from "../api/short-link.ts";
import type { QrFile } from "./qr-url.ts";

/** TABLE of the formats and their sizes: pixels, or millimeters for print. The first format and size are the usual. */
export const fileSizes = {
  png: { sizes: [1_000, 500, 2_000], unit: "px" },
  svg: { sizes: [1_000], unit: "px" },
  pdf: { sizes: [50, 20, 30, 80, 100, 200], unit: "mm" },
} as const satisfies Record<QrFile["format"], { sizes: readonly number[]; unit: "px" | "mm" }>;

/** The file that is offered first. */
export const usualFile: QrFile = { format: "png", size: fileSizes.png.sizes[0] };

/** The formats in the order in which they are offered. */
export const fileFormats = ["png", "svg", "pdf"] as const;

/**
 * The name of a code's file: the slug, or the host for a domain's root, without signs and names that file systems
 * reserve.
 */
export function fileNameOf(shortLink: string, format: QrFile["format"]): string {
  const { host, path } = shortLinkParts(shortLink);
  const stem = cleaned(path) || cleaned(host) || "link";
  return `${deviceName.test(stem) ? "qr-" : ""}${stem}.${format}`;
}

/** Windows opens no file with the name of a device, whatever follows its first dot. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The names of many files, in order; a name that occurs again gets a number. */
export function uniqueFileNames(shortLinks: readonly string[], format: QrFile["format"]): string[] {
  const taken = new Set<string>();
  return shortLinks.map((shortLink) => {
    const name = fileNameOf(shortLink, format);
    const stem = name.slice(0, -(format.length + 1));
    let unique = name;
    // Some file systems do not distinguish upper and lower case.
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem}-${number}.${format}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

/** File systems allow 255 bytes; a character has at most three for each of its UTF-16 units. */
const nameCharactersMax = 80;

function cleaned(text: string): string {
  // Some file systems do not distinguish an accented letter from a letter and its accent.
  return text
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, nameCharactersMax)
    .replace(/[\uD800-\uDBFF]$/, "");
}
