import { ChunkReader } from "./chunk-reader.ts";
import { headBytesMax } from "./request-head.ts";

/**
 * Finds the end of the HTTP server's response while it streams (RFC 9112, 6.3).
 * A response of unknown length ends with the connection and is never done.
 */
export class ResponseFraming {
  readonly #isForHead: boolean;
  #head = "";
  #left = 0;
  #chunks: ChunkReader | undefined;
  #state: "head" | "length" | "chunks" | "untilClose" | "done" = "head";
  /** True when the HTTP server closes the connection after the response. */
  isLast = false;

  constructor(method: string) {
    this.#isForHead = method === "HEAD";
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** Reads the next bytes of the response. */
  take(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && this.#state === "head") rest = this.#takeHead(rest);
    if (rest.length === 0) return;
    if (this.#state === "length") {
      this.#left -= rest.length;
      if (this.#left <= 0) this.#state = "done";
    } else if (this.#state === "chunks") {
      const taken = this.#chunks?.take(rest);
      if (taken === undefined) this.#state = "untilClose";
      else if (taken.isDone) this.#state = "done";
    }
  }

  #takeHead(bytes: Buffer): Buffer {
    const before = this.#head.length;
    this.#head += bytes.toString("latin1");
    const end = this.#head.indexOf("\r\n\r\n");
    if (end === -1) {
      // The fields of Bun and ours have about 1,500 bytes.
      if (this.#head.length > 4 * headBytesMax) this.#state = "untilClose";
      return bytes.subarray(bytes.length);
    }
    const head = this.#head.slice(0, end + 2);
    const rest = bytes.subarray(end + 4 - before);
    this.#head = "";
    this.#readHead(head);
    return rest;
  }

  #readHead(head: string): void {
    const status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 ".length + 3));
    // The final response follows, as after 100 Continue.
    if (status >= 100 && status < 200) return;
    this.isLast = /\r\nconnection: *close\r\n/i.test(head);
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    if (this.#isForHead || status === 204 || status === 304 || length === "0") {
      this.#state = "done";
    } else if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) {
      this.#state = "chunks";
      this.#chunks = new ChunkReader();
    } else if (length !== undefined) {
      this.#state = "length";
      this.#left = Number(length);
    } else {
      this.#state = "untilClose";
    }
  }
}
