/**
 * The lookup file holds what a plain redirect needs to know of each link. A lookup takes two memory reads, where the
 * database takes about thirty. After D. J. Bernstein's constant database (https://cr.yp.to/cdb.html): it is written
 * once, sequentially, and never changed, but replaced.
 *
 * It is a folder of three files; all numbers are little-endian:
 *
 * 1. `table`: 2 ** slotBits slots of 8 bytes: the hash of a link's domain and folded key, and its record's position, 0
 *    for an empty slot. A link is in the slot that the first slotBits of its hash name, or in one of the next
 *    probesMax.
 * 2. `records`: one per link, at an offset of 8 bytes times its position, which starts at 1; see `at`.
 * 3. `facts.json`: LookupManifest. It is written last, so a folder with it is complete.
 *
 * Versions: a file with another formatVersion is ignored. Raise the version with every change here, with every change
 * of what redirectLink makes of a plain link's row, and with every migration that changes such rows.
 */
export const formatVersion = 1;

/** The metadata of a lookup file. */
export type LookupManifest = {
  version: number;
  /** The file holds each link's state after this event of the outbox, or after a later one. */
  event: number;
  /** The number of links in the file. */
  links: number;
  /** The seed of the hash, random for each file, so that an attacker cannot choose colliding keys. */
  seed: number;
  slotBits: number;
  /** The size of `records`. */
  recordBytes: number;
  /** The size of the segments, which are mapped into memory separately; no record crosses their boundary. */
  segmentBytes: number;
  /** True when every link of its domains is in the file, so that a link not found does not exist. */
  isWhole: boolean;
  /** The ids of the domains in the file; a record refers to one by its index. */
  domainIds: string[];
};

/** Slots probed from the one that a hash names; a link that finds none of them free is left out. */
export const probesMax = 128;
export const slotBytes = 8;
/** The unit of positions. */
export const unitBytes = 8;
/** The size of a segment: larger buffers are slower to index. A multiple of every system's page size. */
export const segmentBytes = 1024 ** 3;
/** The limit of `records`; positions could address 32 GiB. Links beyond it are looked up in the database. */
export const recordBytesMax = 16 * 1024 ** 3;
/** Links of a file: their slots take half a GiB of memory while it is written. */
export const linksMax = 40_000_000;
/** Domains of a file; the links of others are looked up in the database. */
export const domainsMax = 100_000;

/** The names of the three files. */
export const fileNames = { table: "table", records: "records", manifest: "facts.json" } as const;

/**
 * A record begins with the numbers of `at`, followed by four texts in UTF-8: id, folded key, key, url. A link with a
 * text too long for its length field, and any link that does not always send every visitor to its URL, has only the
 * folded key, and hasAll is unset: the lookup then reads the database.
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
  /** The key equals the folded key and is left out. Otherwise both have the same length in bytes. */
  isKeyFolded: 8,
  /** Every text is ASCII. */
  isAscii: 16,
} as const;

/**
 * A 32-bit hash of a domain and folded key: FNV-1a over the key's UTF-16 units
 * (http://www.isthe.com/chongo/tech/comp/fnv/) with MurmurHash3's finaliser, so that the first bits are well mixed too.
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
