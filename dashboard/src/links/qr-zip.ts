import { Zip, ZipDeflate } from "fflate";
import type { Waypost } from "../../../sdk/client.ts";
import { WaypostError } from "../../../sdk/client.ts";
import { openConcurrencyLimit } from "../base/concurrency-limit.ts";
import { uniqueFileNames } from "./qr-files.ts";
import type { QrStyle } from "./qr-style.ts";
import { type QrFile, type QrOptions, qrQuery } from "./qr-url.ts";

/** Codes in one ZIP file. */
export const zipCodesMax = 500;
const fetchesMax = 4;
/** Waits for the server's limit on requests; each lasts at most a minute. */
const attemptsMax = 5;
const waitSecondsMax = 60;

type Order = QrFile & { shortLinks: readonly string[]; style: QrStyle };
type Progress = { api: Waypost; onStep(): void; signal: AbortSignal };

/** The QR codes of many short links as one ZIP file, named by their slugs. Throws when a code cannot be drawn. */
export async function zipQrCodes({ shortLinks, ...options }: Order, { api, onStep, signal }: Progress): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(new Uint8Array(part));
  });
  const names = uniqueFileNames(shortLinks, options.format);
  const limit = openConcurrencyLimit(fetchesMax);
  const failing = new AbortController();
  const untilFailure = AbortSignal.any([signal, failing.signal]);
  try {
    await Promise.all(
      shortLinks.map((shortLink, index) =>
        limit(async () => {
          untilFailure.throwIfAborted();
          const code = await readCode(api, { ...options, shortLink }, untilFailure);
          const file = new ZipDeflate(names[index] ?? `${index}.${options.format}`);
          zip.add(file);
          file.push(code, true);
          onStep();
        }),
      ),
    );
  } catch (error) {
    // Otherwise the remaining codes would still be requested, beside those of a second attempt.
    failing.abort();
    throw error;
  }
  zip.end();
  return new Blob(parts, { type: "application/zip" });
}

async function readCode(api: Waypost, options: QrOptions, signal: AbortSignal): Promise<Uint8Array> {
  const call = { params: { query: qrQuery(options) }, parseAs: "arrayBuffer", signal } as const;
  for (let attempt = 1; ; attempt++) {
    const { data, error, response } = await api.GET("/qr", call);
    if (data !== undefined) return new Uint8Array(data);
    const isTemporary = response.status === 429 || response.status === 503;
    if (!isTemporary || attempt === attemptsMax) throw WaypostError.from(response, error);
    await wait(Number(response.headers.get("retry-after") ?? 1), signal);
  }
}

async function wait(seconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, waitSecondsMax) * 1_000));
  signal.throwIfAborted();
}
