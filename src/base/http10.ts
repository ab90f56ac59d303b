/**
 * How an HTTP/1.0 client, such as nginx with its default settings, detects a truncated response. HTTP/1.0 has no
 * chunks, so a response that is streamed needs its length.
 *
 * 1. The listener adds `Via: 1.0 waypost` to a request in HTTP/1.0 (RFC 9110, 7.6.3): the runtime tells handlers no
 *    version.
 * 2. The handler answers such a request when it knows the length. The runtime drops the Content-Length of a stream, so
 *    the length is in the field `lengthField`.
 * 3. The listener renames that field to Content-Length on the way to the client.
 */

/** The field that carries the length of a stream from the handler to the listener. */
export const lengthField = "Waypost-Content-Length";

const lineEnd = Buffer.from("\r\n");
const via = Buffer.from("Via: 1.0 waypost\r\n");
const headEnd = Buffer.from("\r\n\r\n");
/** A response head has about 1,500 bytes. */
const headBytesMax = 64 * 1024;

/** The head of a request in HTTP/1.0, with the Via field that says so. */
export function withVia(head: Buffer): Buffer {
  return Buffer.concat([head.subarray(0, head.length - lineEnd.length), via, lineEnd]);
}

/** True when the listener received the request in HTTP/1.0, so that a streamed response needs its length. */
export function needsLength(headers: Headers): boolean {
  return /(?:^|,)\s*1\.0 waypost\s*$/.test(headers.get("via") ?? "");
}

/** Renames `lengthField` to Content-Length in one response. */
export class ContentLengthRewriter {
  /** The received part of an incomplete head; undefined once the head is complete. */
  #head: Buffer | undefined = Buffer.alloc(0);

  /** Takes the next bytes of the response and returns those for the client: none until the head is complete. */
  take(bytes: Buffer): Buffer {
    if (this.#head === undefined) return bytes;
    const all = Buffer.concat([this.#head, bytes]);
    const end = all.indexOf(headEnd);
    const isIncomplete = end === -1 && all.length <= headBytesMax;
    this.#head = isIncomplete ? all : undefined;
    return isIncomplete ? Buffer.alloc(0) : renamed(all, end);
  }
}

function renamed(response: Buffer, end: number): Buffer {
  const field = `\r\n${lengthField}:`;
  const start = response.indexOf(field);
  if (start === -1 || start > end) return response;
  const rest = response.subarray(start + field.length);
  return Buffer.concat([response.subarray(0, start), Buffer.from("\r\nContent-Length:"), rest]);
}
