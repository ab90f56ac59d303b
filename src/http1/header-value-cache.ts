import { clickHeaderMax } from "../clicks/click.ts";

/**
 * A cache of header values, since visitors send the same ones again and again: a cached value is not copied out of the
 * head, checked and hashed again, which took a tenth of a redirect.
 *
 * It is a hash table with two slots per hash; a new value overwrites an old one. The hash reads only a few characters;
 * colliding values cost as much as a copy, no more.
 */

/** Slots: few enough that the table stays in the processor's cache. */
const slotsMax = 2 ** 12;
/** Longer values are not cached, which bounds the table to 2 MiB; the bound is that of the values in clicks. */
const cachedCharactersMax = clickHeaderMax;
/** Characters of a value that its hash reads, spread evenly. */
const hashedMax = 16;

/** Control characters are refused: some databases reject them. */
const printable = /^[\t\x20-\x7e]*$/;

/** Caches the values of header fields. */
export class HeaderValueCache {
  readonly #slots = new Array<string>(slotsMax).fill("");

  /** The value between two offsets of a head; undefined for one with a control character. */
  of(head: string, start: number, end: number): string | undefined {
    const length = end - start;
    if (length > cachedCharactersMax) return headerValue(head, start, end);
    const slot = slotOf(head, start, length);
    const known = this.#slots[slot] ?? "";
    if (known.length === length && head.startsWith(known, start)) return known;
    const other = this.#slots[slot ^ 1] ?? "";
    if (other.length === length && head.startsWith(other, start)) return other;
    const text = headerValue(head, start, end);
    if (text === undefined) return undefined;
    // Copied: a substring would keep the whole head in memory.
    const copy = Buffer.from(text, "latin1").toString("latin1");
    this.#slots[slot ^ 1] = known;
    this.#slots[slot] = copy;
    return copy;
  }
}

/** As HeaderValueCache.of, without a cache. The value is a substring, which keeps the whole head in memory. */
export function headerValue(head: string, start: number, end: number): string | undefined {
  const text = head.slice(start, end);
  return printable.test(text) ? text : undefined;
}

/** FNV-1a over some of the characters. */
function slotOf(head: string, start: number, length: number): number {
  // A step in 1/65,536 of a character: the loop is fast with integers only.
  const step = length <= hashedMax ? 1 << 16 : Math.floor((length << 16) / hashedMax);
  let hash = 0x811c9dc5 ^ length;
  for (let at = 0; at < length << 16; at += step) {
    hash = Math.imul(hash ^ head.charCodeAt(start + (at >> 16)), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (slotsMax - 1);
}
