/**
 * Limits the new text that the visitors of one network can make Waypost write to the disk, in characters (UTF-16 code
 * units).
 *
 * A click takes 44 bytes of the spool and 20 of the store, and shares its texts (user agent, referrer, destination)
 * with other clicks. A visitor who invents new texts each time causes up to 5 KB per click. Therefore each network has
 * a budget of new text. Beyond the budget, and while disk space is short, clicks still count, but their longer texts
 * are cut.
 *
 * Only texts that no recent click had are checked, and only those longer than freeCharacters: most clicks cost nothing.
 */

import { DoorkeeperFilter } from "../base/doorkeeper-filter.ts";
import { siteOf } from "../base/network.ts";
import { minuteMs } from "../base/time.ts";
import { TokenBuckets } from "../base/token-bucket.ts";

/** Texts up to this length are always kept. */
export const freeCharacters = 64;
/**
 * New text of one network per minute: about 200 visitors with distinct destinations (an advertisement's click id takes
 * 100 to 300 characters), more than share one address. This is at most 94 million characters a day. Nearly all such
 * texts are ASCII, a byte each; at three bytes of UTF-8 per code unit, a network causes at most 283 MB a day.
 */
export const networkCharactersMax = 65_536;
/** Networks remembered, at most twice as many; a network that is forgotten regains its whole budget. */
const networksMax = 20_000;
/** Size of the filter of known destinations, in bits of its index: a quarter of a megabyte. */
const seenBits = 16;

/** A budget for each network: an IPv4 address or an IPv6 /48, which is what one subscriber gets. */
export class TextBudget {
  /** While disk space is short, no new text is written. */
  isDiskShort = false;
  readonly #networks = new TokenBuckets({ callsMax: networkCharactersMax, perMs: minuteMs }, networksMax);
  readonly #seen = new DoorkeeperFilter(seenBits);
  #cut = 0;

  /** Texts cut since the start. */
  get cut(): number {
    return this.#cut;
  }

  /** True if the visitor at `address` may have a new text of this length written. */
  allows(address: string, characters: number, now: number): boolean {
    if (characters <= freeCharacters) return true;
    if (!this.isDiskShort && this.#networks.of(siteOf(address), now).take(now, characters)) return true;
    this.#cut++;
    return false;
  }

  /** Like allows, for a text that no cache has: a text seen before costs nothing. */
  allowsText(address: string, text: string, now: number): boolean {
    if (text.length <= freeCharacters) return true;
    // While disk space is short, only texts that certainly exist already may be written again.
    if (this.#seen.testAndAdd(Bun.hash.crc32(text) + 1) && !this.isDiskShort) return true;
    return this.allows(address, text.length, now);
  }
}
