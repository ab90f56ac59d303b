import { fieldLine } from "./request-framing.ts";

/** Bytes of a line between chunks: a size with its extensions, or a trailer. */
const lineBytesMax = 4 * 1024;
/** Bytes of all trailers of one body together. */
const trailerBytesMax = 16 * 1024;
const newline = 0x0a;
const lastChunk = Buffer.from("0\r\n\r\n");

/** What became of some bytes: how many of them belong to the body, and what of them is handed on. */
export type TakenChunks = { taken: number; isDone: boolean; parts: Buffer[] };

/**
 * Reads a chunked body (RFC 9112, 7.1) as it comes, and writes it again without extensions and trailers.
 * take() returns undefined for what is no chunked body.
 */
export class Chunks {
  /** Of the body so far. */
  bytes = 0;
  #state: "size" | "contents" | "contentsEnd" | "trailers" | "done" = "size";
  /** Of the chunk that is being read. */
  #left = 0;
  #line = "";
  #trailerBytes = 0;

  /** Takes what belongs to the body from the beginning of `bytes`. */
  take(bytes: Buffer): TakenChunks | undefined {
    const parts: Buffer[] = [];
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      if (this.#state === "contents") {
        const part = bytes.subarray(at, at + this.#left);
        parts.push(part);
        at += part.length;
        this.#left -= part.length;
        if (this.#left === 0) this.#state = "contentsEnd";
        continue;
      }
      const lineEnd = bytes.indexOf(newline, at);
      const until = lineEnd === -1 ? bytes.length : lineEnd + 1;
      this.#line += bytes.toString("latin1", at, until);
      if (this.#line.length > lineBytesMax) return undefined;
      at = until;
      if (lineEnd === -1) break;
      const line = this.#line;
      this.#line = "";
      const written = line.endsWith("\r\n") ? this.#readLine(line.slice(0, -2)) : undefined;
      if (written === undefined) return undefined;
      parts.push(written);
    }
    return { taken: at, isDone: this.#state === "done", parts };
  }

  /** What is handed on instead of the line; undefined for a line that may not stand there. */
  #readLine(line: string): Buffer | undefined {
    if (this.#state === "contentsEnd") {
      if (line !== "") return undefined;
      this.#state = "size";
      return Buffer.from("\r\n");
    }
    if (this.#state === "trailers") {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > trailerBytesMax) return undefined;
      // A parser that takes a bare CR for a line's end would see another end of the body.
      if (line !== "") return fieldLine.test(line) ? Buffer.alloc(0) : undefined;
      this.#state = "done";
      return lastChunk;
    }
    const [, size] = /^([0-9a-f]{1,8})(?:[ \t]*;[^\x00-\x08\x0a-\x1f\x7f]*)?$/i.exec(line) ?? [];
    if (size === undefined) return undefined;
    this.#left = Number.parseInt(size, 16);
    this.bytes += this.#left;
    this.#state = this.#left === 0 ? "trailers" : "contents";
    return this.#left === 0 ? Buffer.alloc(0) : Buffer.from(`${size}\r\n`);
  }
}
