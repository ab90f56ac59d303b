import { ChunkReader } from "./chunk-reader.ts";
import { bodyTooLong, malformed } from "./request-errors.ts";
import type { ConsumedBody } from "./request-framing.ts";

/**
 * Bytes of sizes, extensions and trailers that a body may have beyond as many as its content has: small chunks are
 * legal, but a body that is mostly framing is an attack.
 */
const extraFramingBytesMax = 64 * 1024;

/**
 * A request's chunked body on its way to the HTTP server: the content of each read is handed on as one chunk, without
 * extensions and trailers, which the HTTP server does not read.
 */
export class ChunkedBody {
  readonly #bytesMax: number;
  readonly #reader = new ChunkReader();
  /** True when the whole body has come. */
  isDone = false;

  /** `bytesMax` bounds the content. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes the bytes that belong to the body from the beginning of `bytes`. */
  take(bytes: Buffer): ConsumedBody {
    const content = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    const found = this.#reader.take(bytes, (from, to) => {
      length += bytes.copy(content, length, from, to);
    });
    if (found === undefined) return { kind: "refused", error: malformed };
    const { contentBytes, framingBytes } = this.#reader;
    if (contentBytes > this.#bytesMax) return { kind: "refused", error: bodyTooLong };
    if (framingBytes > contentBytes + extraFramingBytesMax) return { kind: "refused", error: malformed };
    this.isDone = found.isDone;
    return { kind: "taken", taken: found.taken, bytes: asChunks(content.subarray(0, length), found.isDone) };
  }
}

/** The content as one chunk, with the last chunk behind it when the body is done. */
function asChunks(content: Buffer, isDone: boolean): Buffer {
  const size = content.length === 0 ? [] : [Buffer.from(`${content.length.toString(16)}\r\n`), content];
  const lineEnd = content.length === 0 ? "" : "\r\n";
  return Buffer.concat([...size, Buffer.from(isDone ? `${lineEnd}0\r\n\r\n` : lineEnd)]);
}
