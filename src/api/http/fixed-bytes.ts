import { compress, type Encoding } from "./compression.ts";
import { bodyTag } from "./entity-tag.ts";

/**
 * Bytes that many responses send, hashed and compressed once: for the OpenAPI document, each response would take a
 * millisecond of the event loop, and a client without a key may request it any number of times.
 */
export class FixedBytes {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly #compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  #tag: Promise<string> | undefined;

  constructor(plain: Uint8Array<ArrayBuffer>) {
    this.plain = plain;
  }

  /** The opaque entity tag. */
  tag(): Promise<string> {
    this.#tag ??= bodyTag(this.plain);
    return this.#tag;
  }

  /** The bytes in an encoding. */
  compressed(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#compressed.get(encoding);
    if (known !== undefined) return known;
    const compressing = compress(this.plain, encoding, "often");
    this.#compressed.set(encoding, compressing);
    // The next response tries again.
    compressing.catch(() => this.#compressed.delete(encoding));
    return compressing;
  }
}
