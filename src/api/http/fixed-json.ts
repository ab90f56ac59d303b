import { compress, type Encoding } from "./compression.ts";
import { bodyTag } from "./entity-tag.ts";

/**
 * A JSON text that many responses send. Encodes, hashes and compresses it once: for 700 KB, each response would take a
 * millisecond of the event loop, and a client without a key may request it any number of times.
 */
export class FixedJson {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  #tag: Promise<string> | undefined;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }

  /** The opaque entity tag. */
  tag(): Promise<string> {
    this.#tag ??= bodyTag(this.bytes);
    return this.#tag;
  }

  /** The compressed bytes. */
  compressed(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#compressed.get(encoding);
    if (known !== undefined) return known;
    const compressing = compress(this.bytes, encoding);
    this.#compressed.set(encoding, compressing);
    return compressing;
  }
}
