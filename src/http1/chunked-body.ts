import { ChunkReader } from "./chunk-reader.ts";
import { bodyTooLong, malformed } from "./request-errors.ts";
import type { ConsumedBody } from "./request-framing.ts";

/**
 * A body may have as many bytes of framing (sizes, extensions, trailers) as of content, and this many more: small
 * chunks are legal, but a body that is mostly framing is an attack.
 */
const extraFramingBytesMax = 64 * 1024;

/**
 * Re-encodes a request's chunked body for the HTTP server: the content of each read becomes one chunk, without
 * extensions and trailers, which the HTTP server ignores.
 */
export class ChunkedBody {
  readonly #bytesMax: number;
  readonly #reader = new ChunkReader();
  /** True when the whole body was received. */
  isDone = false;

  /** `bytesMax` bounds the content. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Consumes the body's bytes at the beginning of `bytes`. */
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

/** The content as one chunk, followed by the last chunk when the body is done. */
function asChunks(content: Buffer, isDone: boolean): Buffer {
  const size = content.length === 0 ? [] : [Buffer.from(`${content.length.toString(16)}\r\n`), content];
  const lineEnd = content.length === 0 ? "" : "\r\n";
  return Buffer.concat([...size, Buffer.from(isDone ? `${lineEnd}0\r\n\r\n` : lineEnd)]);
}
