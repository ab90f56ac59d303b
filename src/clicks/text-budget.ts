/**
 * How many characters (UTF-16 code units) of new texts the visitors of one network may have written to the disk.
 *
 * A click takes 44 bytes of the spool and 20 of the store, and shares its texts with others: user agents, referrers,
 * destinations. A visitor who makes up new ones each time writes up to 5 KB a click. So a network has a budget of new
 * texts; beyond it, and while the disk is short, the click counts all the same and its longer texts are cut.
 *
 * Only texts that no other click brought lately are looked at here, and of them only those longer than freeCharacters:
 * most clicks cost nothing.
 */

import { DoorkeeperFilter } from "../base/doorkeeper-filter.ts";
import { siteOf } from "../base/network.ts";
import { minuteMs } from "../base/time.ts";
import { TokenBuckets } from "../base/token-bucket.ts";

/** Texts up to this length are always kept. */
export const freeCharacters = 64;
/**
 * New texts of one network in a minute, in characters: some 200 visitors with a destination of their own (an
 * advertisement's click id takes 100 to 300 characters), more than come from one address. That is 94 million characters
 * a day at most. Nearly all such texts are ASCII, a byte each; a UTF-16 code unit takes three bytes of UTF-8 at most, so a
 * network that makes up texts of those has 283 MB a day written.
 */
export const networkCharactersMax = 65_536;
/** Networks remembered, twice as many at most; one that is forgotten has its whole budget again. */
const networksMax = 20_000;
/** Destinations remembered to tell that they come again: a quarter of a megabyte. */
const seenBits = 16;

/** A budget for each network. A network is an address of IPv4, and a /48 of IPv6: what one subscriber gets. */
export class TextBudget {
  /** While the disk is short, no network may have texts written. */
  isDiskShort = false;
  readonly #networks = new TokenBuckets({ callsMax: networkCharactersMax, perMs: minuteMs }, networksMax);
  readonly #seen = new DoorkeeperFilter(seenBits);
  #cut = 0;

  /** Texts that were cut since the start. */
  get cut(): number {
    return this.#cut;
  }

  /** True when the visitor at `address` may have a new text of this many characters written. */
  allows(address: string, characters: number, now: number): boolean {
    if (characters <= freeCharacters) return true;
    if (!this.isDiskShort && this.#networks.of(siteOf(address), now).take(now, characters)) return true;
    this.#cut++;
    return false;
  }

  /** As takes, for a text that no cache knows: one that came before costs nothing. */
  allowsText(address: string, text: string, now: number): boolean {
    if (text.length <= freeCharacters) return true;
    // While the disk is short, only what is surely there already may be written again.
    if (this.#seen.testAndAdd(Bun.hash.crc32(text) + 1) && !this.isDiskShort) return true;
    return this.allows(address, text.length, now);
  }
}
