/** Bytes received, of which those from `start` on are not answered yet. */
export class ByteBuffer {
  readonly bytes: Buffer;
  start = 0;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /**
   * All the bytes, a character of Latin-1 for each. Made once: anew for each of many requests in one packet, it would
   * take longer than answering them.
   */
  get text(): string {
    this.#text ??= this.bytes.toString("latin1");
    return this.#text;
  }

  /** What is not answered yet, without what came before it, which may be half a mebibyte. */
  rest(): ByteBuffer {
    return this.start === 0 ? this : new ByteBuffer(Buffer.from(this.bytes.subarray(this.start)));
  }

  /** What is not answered yet, and `more` behind it. */
  with(more: Buffer): ByteBuffer {
    return new ByteBuffer(Buffer.concat([this.bytes.subarray(this.start), more]));
  }
}
