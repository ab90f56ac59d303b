import { clickHeaderMax } from "../clicks/click.ts";

/**
 * The texts of header fields, of which visitors send the same ones again and again: what was seen lately is found
 * without being cut out of the head, checked and hashed anew. That took a tenth of a redirect.
 *
 * A table with two places for each hash: nothing is moved or counted, and a new text takes the place of the one that
 * stands there. The hash looks at a few characters only, so whoever makes them collide gets what a cut costs, no more.
 */

/** Places; of them, those of 20,000 addresses are taken twice in a few cases only. */
const slotsMax = 2 ** 16;
/** Longer texts are not kept, so that the table takes 32 MiB at most: as long as those that clicks keep. */
const cachedCharactersMax = clickHeaderMax;
/** Characters of a text that its hash looks at, spread evenly. */
const hashedMax = 16;

/** No control characters, which databases stumble over. */
const printable = /^[\t\x20-\x7e]*$/;

/** Remembers the texts of header fields. */
export class HeaderValueCache {
  readonly #slots = new Array<string>(slotsMax).fill("");

  /** The text between two places of a head; undefined for one with a control character. */
  of(head: string, start: number, end: number): string | undefined {
    const length = end - start;
    if (length > cachedCharactersMax) return checked(head.slice(start, end));
    const slot = slotOf(head, start, length);
    const known = this.#slots[slot] ?? "";
    if (known.length === length && head.startsWith(known, start)) return known;
    const other = this.#slots[slot ^ 1] ?? "";
    if (other.length === length && head.startsWith(other, start)) return other;
    const text = checked(head.slice(start, end));
    if (text === undefined) return undefined;
    // In memory of its own: a text cut from a head keeps the whole head.
    const copy = Buffer.from(text, "latin1").toString("latin1");
    this.#slots[slot ^ 1] = known;
    this.#slots[slot] = copy;
    return copy;
  }
}

function checked(text: string): string | undefined {
  return printable.test(text) ? text : undefined;
}

/** FNV-1a over some of the characters. */
function slotOf(head: string, start: number, length: number): number {
  // In 65,536ths of a character: whole numbers are what the loop is quick with.
  const step = length <= hashedMax ? 1 << 16 : Math.floor((length << 16) / hashedMax);
  let hash = 0x811c9dc5 ^ length;
  for (let at = 0; at < length << 16; at += step) {
    hash = Math.imul(hash ^ head.charCodeAt(start + (at >> 16)), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (slotsMax - 1);
}
