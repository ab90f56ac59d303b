import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSqliteReader, type SqliteReader } from "../../database/sqlite.ts";
import { isKept } from "../lookup.ts";
import { sendableUrl } from "../sendable-url.ts";
import {
  at,
  domainsMax,
  fileNames,
  flag,
  formatVersion,
  type LookupFacts,
  linksMax,
  placeHash,
  probesMax,
  segmentBytes,
  unitBytes,
} from "./layout.ts";

/** What of a link becomes a record. */
export type RecordedLink = {
  id: string;
  workspaceId: number;
  domainId: string;
  key: string;
  foldedKey: string;
  url: string;
  redirectStatus: number | null;
  doIndex: number;
  forwardPath: number;
  /** 1 when it sends every visitor on to its url, at any time. */
  isPlain: number;
};

const linksPerRead = 2_000;
/** Records are written in pieces of about this size. */
const pieceBytes = 1024 ** 2;
/** What bounds a file's size and its parts'. */
type Bounds = Pick<LookupFacts, "segmentBytes"> & { linksMax: number };

/** More than any key has that the rules of links let through. */
const keyUnitsMax = 1_000;
/** More than any record has. */
const recordBytesMax = at.texts + 3 * 0xffff + 0xff;
/** So many slots there are at least for each link: more make the file larger, fewer make links be found more slowly. */
const slotsPerLink = 1.5;
const defaultStatus = 302;

const selectLinks = `
  SELECT seq, id, "workspaceId", "domainId", key, "foldedKey", url, "redirectStatus", "doIndex", "forwardPath",
    "startsAt" IS NULL AND "expiresAt" IS NULL AND "expiredUrl" IS NULL AND "disabledAt" IS NULL AND "maxClicks" IS NULL
    AND "passwordHash" IS NULL AND rules IS NULL AND ios IS NULL AND android IS NULL AND geo IS NULL
    AND "testVariants" IS NULL AND proxy = 0 AND rewrite = 0 AND url <> '' AS "isPlain"
  FROM links WHERE seq > ? AND seq <= ? AND ${isKept("links")} ORDER BY seq LIMIT ${linksPerRead}`;

/**
 * Writes a look-up file of the links in the database at `path` into a new folder. Takes a minute for ten million links,
 * and half a GiB of memory at most; others may change links meanwhile, which readers learn from the outbox.
 * Guarantee: a folder with its facts is whole, and on the disk. On a failure the folder is removed again.
 * Resolves with undefined when it was aborted.
 */
export async function writeLookupFile(
  path: string,
  folder: string,
  signal: AbortSignal,
  bounds: Bounds = { linksMax, segmentBytes },
): Promise<LookupFacts | undefined> {
  const database = openSqliteReader(path);
  mkdirSync(folder, { recursive: true });
  let facts: LookupFacts | undefined;
  try {
    facts = await writeParts(database, folder, bounds, signal);
  } finally {
    database.close();
    if (facts === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return facts;
}

async function writeParts(
  database: SqliteReader,
  folder: string,
  bounds: Bounds,
  signal: AbortSignal,
): Promise<LookupFacts | undefined> {
  // Asked first: whatever changes from here on has a later event, whether it is read below or not.
  const event = database.query<{ id: number }, []>("SELECT coalesce(max(id), 0) AS id FROM events").get()?.id ?? 0;
  const { count, last } = database
    .query<{ count: number; last: number }, []>("SELECT count(*) AS count, coalesce(max(seq), 0) AS last FROM links")
    .get() ?? { count: 0, last: 0 };
  const places = new Places(Math.min(count, bounds.linksMax));
  const records = new RecordWriter(join(folder, fileNames.records), bounds.segmentBytes);
  try {
    const page = database.query<RecordedLink & { seq: number }, [number, number]>(selectLinks);
    for (let seq = 0; ; ) {
      const links = page.all(seq, last);
      for (const link of links) {
        seq = link.seq;
        const place = places.take(link);
        if (place !== undefined) place.settle(records.add(link, place.domain));
      }
      if (links.length < linksPerRead) break;
      // Whoever wants the thread to end gets a word in.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return undefined;
    }
    records.flush();
  } finally {
    records.close();
  }
  writeWhole(join(folder, fileNames.table), places.table);
  const facts = {
    version: formatVersion,
    event,
    ...places.facts,
    recordBytes: records.length,
    segmentBytes: bounds.segmentBytes,
  };
  writeWhole(join(folder, fileNames.facts), Buffer.from(JSON.stringify(facts)));
  return facts;
}

/** The places of links: which slot of the table each has. */
class Places {
  readonly table: Uint32Array;
  readonly #linksMax: number;
  readonly #slotBits: number;
  readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  readonly #domains = new Map<string, number>();
  #links = 0;
  #isWhole = true;

  /** There are places for so many links, and not for more. */
  constructor(linksCount: number) {
    this.#linksMax = linksCount;
    this.#slotBits = Math.max(1, Math.ceil(Math.log2(linksCount * slotsPerLink)));
    this.table = new Uint32Array(2 * 2 ** this.#slotBits);
  }

  get facts(): Pick<LookupFacts, "links" | "seed" | "slotBits" | "isWhole" | "domainIds"> {
    const [seed, slotBits, isWhole] = [this.#seed, this.#slotBits, this.#isWhole];
    return { links: this.#links, seed, slotBits, isWhole, domainIds: [...this.#domains.keys()] };
  }

  /** A slot for the link, and what to tell the position of its record; undefined where there is none for it. */
  take({ domainId, foldedKey }: RecordedLink): { domain: number; settle(position: number): void } | undefined {
    const domain = this.#domainOf(domainId);
    // What is said of a domain that is not in the file is nothing at all.
    if (domain === undefined) return undefined;
    const hash = placeHash(this.#seed, domain, foldedKey);
    const hasRoom = this.#links < this.#linksMax && foldedKey.length <= keyUnitsMax;
    const slot = hasRoom ? this.#freeSlot(hash) : undefined;
    if (slot === undefined) {
      this.#isWhole = false;
      return undefined;
    }
    const settle = (position: number) => {
      this.table[2 * slot] = hash;
      this.table[2 * slot + 1] = position;
      this.#links++;
    };
    return { domain, settle };
  }

  #domainOf(id: string): number | undefined {
    const known = this.#domains.get(id);
    if (known !== undefined || this.#domains.size >= domainsMax) return known;
    const number = this.#domains.size;
    this.#domains.set(id, number);
    return number;
  }

  #freeSlot(hash: number): number | undefined {
    const mask = 2 ** this.#slotBits - 1;
    const first = hash >>> (32 - this.#slotBits);
    for (let probe = 0; probe < probesMax; probe++) {
      const slot = (first + probe) & mask;
      if (this.table[2 * slot + 1] === 0) return slot;
    }
    return undefined;
  }
}

/** Writes records one behind the other. */
class RecordWriter {
  readonly #file: number;
  readonly #segmentBytes: number;
  readonly #piece = Buffer.alloc(pieceBytes + recordBytesMax + unitBytes);
  /** Bytes of the piece, and those of the file before it. */
  #filled = 0;
  #written = 0;

  constructor(path: string, segmentBytes: number) {
    this.#file = openSync(path, "w");
    this.#segmentBytes = segmentBytes;
    // So that no record is at position 0.
    this.#filled = unitBytes;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#written + this.#filled;
  }

  /** Adds a link's record; returns its position. */
  add(link: RecordedLink, domain: number): number {
    const bytes = writeRecord(this.#piece, this.#filled, link, domain);
    if ((this.length % this.#segmentBytes) + bytes > this.#segmentBytes) this.#beginSegment(bytes);
    const position = this.length / unitBytes;
    this.#filled += Math.ceil(bytes / unitBytes) * unitBytes;
    if (this.#filled >= pieceBytes) this.flush();
    return position;
  }

  /** Moves the record that was just written behind what is filled to where the next segment begins. */
  #beginSegment(bytes: number): void {
    const record = Buffer.from(this.#piece.subarray(this.#filled, this.#filled + bytes));
    this.flush();
    this.#written = Math.ceil(this.#written / this.#segmentBytes) * this.#segmentBytes;
    record.copy(this.#piece);
  }

  flush(): void {
    for (let from = 0; from < this.#filled; ) {
      from += writeSync(this.#file, this.#piece, from, this.#filled - from, this.#written + from);
    }
    this.#written += this.#filled;
    this.#filled = 0;
  }

  close(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
  }
}

/** Writes a link's record to `offset`; returns how many bytes it has. */
function writeRecord(into: Buffer, offset: number, link: RecordedLink, domain: number): number {
  const { id, key, foldedKey } = link;
  const url = link.isPlain === 1 ? sendableOrNone(link.url) : "";
  const [idBytes, keyBytes, foldedKeyBytes, urlBytes] = [id, key, foldedKey, url].map((text) =>
    Buffer.byteLength(text),
  ) as [number, number, number, number];
  const isKeyFolded = key === foldedKey;
  const hasAll =
    url !== "" &&
    urlBytes <= 0xffff &&
    idBytes <= 0xff &&
    keyBytes === foldedKeyBytes &&
    link.workspaceId <= 0xffffffff;
  const texts = hasAll ? [id, foldedKey, isKeyFolded ? "" : key, url] : [foldedKey];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  into.writeUInt32LE(domain, offset + at.domain);
  into.writeUInt32LE(hasAll ? link.workspaceId : 0, offset + at.workspace);
  into.writeUInt16LE(link.redirectStatus ?? defaultStatus, offset + at.status);
  into.writeUInt16LE(hasAll ? urlBytes : 0, offset + at.urlBytes);
  into.writeUInt16LE(foldedKeyBytes, offset + at.foldedKeyBytes);
  into.writeUInt8(hasAll ? idBytes : 0, offset + at.idBytes);
  const written = into.write(texts.join(""), offset + at.texts);
  const flags =
    (hasAll ? flag.hasAll : 0) |
    (link.doIndex === 1 ? flag.doIndex : 0) |
    (link.forwardPath === 1 ? flag.forwardPath : 0) |
    (isKeyFolded ? flag.isKeyFolded : 0) |
    (written === characters ? flag.isAscii : 0);
  into.writeUInt8(flags, offset + at.flags);
  return at.texts + written;
}

/** A url that was written past the rules of links is one link's trouble, and not that of the file. */
function sendableOrNone(url: string): string {
  try {
    return sendableUrl(url);
  } catch {
    return "";
  }
}

function writeWhole(path: string, bytes: Uint8Array | Uint32Array): void {
  const file = openSync(path, "w");
  try {
    for (let from = 0; from < bytes.byteLength; ) {
      from += writeSync(file, bytes, from, Math.min(bytes.byteLength - from, segmentBytes));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
