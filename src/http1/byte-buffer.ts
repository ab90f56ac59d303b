/** Received bytes; those from `start` on are not answered yet. */
export class ByteBuffer {
  readonly bytes: Buffer;
  start = 0;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /**
   * All the bytes as Latin-1, one character each. Decoded once: decoding for every pipelined request would take longer
   * than answering it.
   */
  get text(): string {
    this.#text ??= this.bytes.toString("latin1");
    return this.#text;
  }

  /** A copy of the unanswered bytes, which frees those before them: up to half a mebibyte. */
  rest(): ByteBuffer {
    return this.start === 0 ? this : new ByteBuffer(Buffer.from(this.bytes.subarray(this.start)));
  }

  /** The unanswered bytes followed by `more`. */
  with(more: Buffer): ByteBuffer {
    return new ByteBuffer(Buffer.concat([this.bytes.subarray(this.start), more]));
  }
}
