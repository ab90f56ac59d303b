/**
 * The look-up file: what an ordinary redirect needs to know of each link, in a form that is found with two reads of
 * memory where the database takes some thirty. After D. J. Bernstein's constant database (https://cr.yp.to/cdb.html): it
 * is written once, from one end to the other, and never changed; who wants another one writes another one.
 *
 * It is a folder of three files, all numbers little-endian:
 *
 * 1. `table`: 2 ** slotBits slots of 8 bytes, each the hash of a place (domain and folded key) and the record's position,
 *    0 for none. A place is in the slot that the first slotBits of its hash name, or in one of the next probesMax.
 * 2. `records`: one for each link, at a position of 8 bytes times its number, counted from 1 for the table's sake; see `at`.
 * 3. `facts.json`: what is said below. It is written last, so that a file with it is whole.
 *
 * Versions: a file of another version than formatVersion is as good as none. Raise it with every change here, and with
 * every change of what linkTarget makes of a row that has nothing but what a record holds, and with every migration that
 * changes such rows.
 */
export const formatVersion = 1;

/** What a look-up file says of itself. */
export type LookupFacts = {
  version: number;
  /** It says of every link what the database did after this event of the outbox, or after a later one. */
  event: number;
  /** Links in it. */
  links: number;
  /** Of the hash; drawn anew for each file, so that nobody can choose keys that meet in one place. */
  seed: number;
  slotBits: number;
  /** Bytes of `records`. */
  recordBytes: number;
  /** No record lies in two segments of so many bytes, each of which is mapped into memory by itself. */
  segmentBytes: number;
  /** Whether every link of its domains is in it, so that what is not found is known to be absent. */
  isWhole: boolean;
  /** The ids of the domains whose links are in it; a record names one by its index. */
  domainIds: string[];
};

/** Slots looked at behind the one that a hash names; a link for which none of them is free is not in the file. */
export const probesMax = 128;
export const slotBytes = 8;
/** What positions count in. */
export const unitBytes = 8;
/** Of a file: what is larger cannot be indexed as quickly. A multiple of the size of a page of any system. */
export const segmentBytes = 1024 ** 3;
/** Of the records; what positions can say is 32 GiB. Links for which there is no room are looked up in the database. */
export const recordBytesMax = 16 * 1024 ** 3;
/** Links of a file: their slots take half a GiB while it is written. */
export const linksMax = 40_000_000;
/** Domains of a file; the links of others are looked up in the database. */
export const domainsMax = 100_000;

/** The names of its three files. */
export const fileNames = { table: "table", records: "records", facts: "facts.json" } as const;

/**
 * A record begins with the numbers of `at`, and then come four texts in UTF-8: id, folded key, key, url. One that is too
 * long for its length, and any link that is not sent on to its url whoever comes and when, has no texts behind its
 * folded key, and hasAll is unset: the database knows the rest.
 */
export const at = {
  /** uint32 */
  domain: 0,
  /** uint32 */
  workspace: 4,
  /** uint16 */
  status: 8,
  /** uint16 */
  urlBytes: 10,
  /** uint16 */
  foldedKeyBytes: 12,
  /** uint8 */
  idBytes: 14,
  /** uint8, of `flag` */
  flags: 15,
  texts: 16,
} as const;

/** Bits of a record's flags. */
export const flag = {
  hasAll: 1,
  doIndex: 2,
  forwardPath: 4,
  /** The folded key is the key, which is left out. Where it is not, both have the same length in bytes. */
  isKeyFolded: 8,
  /** Every text is ASCII. */
  isAscii: 16,
} as const;

/**
 * The hash of a place, 32 bits: FNV-1a over the key's UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), mixed
 * as MurmurHash3 does in the end, so that its first bits are as good as its last.
 */
export function linkKeyHash(seed: number, domain: number, foldedKey: string): number {
  let hash = seed ^ Math.imul(domain + 1, 0x9e3779b1);
  for (let index = 0; index < foldedKey.length; index++) {
    hash = Math.imul(hash ^ foldedKey.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
