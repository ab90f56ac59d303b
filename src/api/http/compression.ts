import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The encodings there are, the better one first. */
const encodings = ["br", "gzip"] as const;
/** How an answer's bytes are packed. */
export type Encoding = (typeof encodings)[number];

/** Below this, the headers outweigh what is saved. */
const compressBytesMin = 1024;
/** A list of 100 links (109 KB), measured: 4 packs it to 4.7 % in 4 ms, 11 to 4.1 % in 350 ms. */
const brotliQuality = 4;

const compressors = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
};

/**
 * The encoding to answer in: of those the client takes, the one it likes best; of equals, the better. undefined means
 * as it is, also where the client prefers that or the body is too small to be worth it.
 */
export function chooseEncoding(acceptEncoding: string | null, bytes: number): Encoding | undefined {
  if (acceptEncoding === null || bytes < compressBytesMin) return undefined;
  const weights = readWeights(acceptEncoding);
  const weightOf = (name: string): number | undefined => weights.get(name) ?? weights.get("*");
  let best: Encoding | undefined;
  // An identity that is not named is acceptable, though the least wanted.
  let bestWeight = weights.get("identity") ?? 0;
  for (const encoding of encodings) {
    const weight = weightOf(encoding) ?? 0;
    if (weight > 0 && (weight > bestWeight || (weight === bestWeight && best === undefined))) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Packs the bytes, in a thread of the runtime's pool: redirects go on meanwhile. */
export async function compress(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const compressed =
    encoding === "br"
      ? await compressors.br(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
          },
        })
      : await compressors.gzip(bytes);
  return new Uint8Array(compressed);
}

/** What is wrong in the header counts as not said: an answer as it is suits everybody. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",")) {
    const [, name, weight = "1"] =
      /^\s*([\w*-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(item) ?? [];
    if (name !== undefined) weights.set(name.toLowerCase().replace(/^x-gzip$/, "gzip"), Number(weight));
  }
  return weights;
}
