import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { freeBytesMin, freeDiskBytes } from "../../base/disk-space.ts";
import { openSqliteReader, type SqliteReader } from "../../database/sqlite-reader.ts";
import { openChanges } from "../link-changes.ts";
import { isKept } from "../lookup.ts";
import {
  domainsMax,
  fileNames,
  formatVersion,
  type LookupFacts,
  linkKeyHash,
  linksMax,
  probesMax,
  recordBytesMax,
  segmentBytes,
} from "./layout.ts";
import { type FileLink, RecordWriter } from "./record-writer.ts";

const linksPerRead = 2_000;
/** What bounds a file's size and its parts'. */
type Bounds = Pick<LookupFacts, "segmentBytes"> & { linksMax: number; recordBytesMax: number };

/** More than any key has that the rules of links let through. */
const keyUnitsMax = 1_000;
/** So many slots there are at least for each link: more make the file larger, fewer make links be found more slowly. */
const slotsPerLink = 1.5;

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
  bounds: Bounds = { linksMax, segmentBytes, recordBytesMax },
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
  const event = openChanges(database).last();
  const { count, last } = database
    .query<{ count: number; last: number }, []>("SELECT count(*) AS count, coalesce(max(seq), 0) AS last FROM links")
    .get() ?? { count: 0, last: 0 };
  const slots = new SlotTable(Math.min(count, bounds.linksMax));
  const records = new RecordWriter(join(folder, fileNames.records), bounds.segmentBytes);
  try {
    const page = database.query<FileLink & { seq: number }, [number, number]>(selectLinks);
    for (let seq = 0; ; ) {
      await requireDisk(folder);
      const links = page.all(seq, last);
      for (const link of links) {
        seq = link.seq;
        const slot = slots.assignSlot(link, records.fits(bounds.recordBytesMax));
        if (slot !== undefined) slot.setPosition(records.add(link, slot.domain));
      }
      if (links.length < linksPerRead) break;
      // Whoever wants the thread to end gets a word in.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return undefined;
    }
    records.finish();
  } finally {
    records.close();
  }
  writeWhole(join(folder, fileNames.table), slots.table);
  const facts = {
    version: formatVersion,
    event,
    ...slots.facts,
    recordBytes: records.length,
    segmentBytes: bounds.segmentBytes,
  };
  writeWhole(join(folder, fileNames.facts), Buffer.from(JSON.stringify(facts)));
  syncFolder(folder);
  syncFolder(dirname(folder));
  return facts;
}

/** The places of links: which slot of the table each has. */
class SlotTable {
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
  assignSlot(
    { domainId, foldedKey }: FileLink,
    isRecordRoom: boolean,
  ): { domain: number; setPosition(position: number): void } | undefined {
    const domain = this.#domainOf(domainId);
    // What is said of a domain that is not in the file is nothing at all.
    if (domain === undefined) return undefined;
    const hash = linkKeyHash(this.#seed, domain, foldedKey);
    const hasRoom = isRecordRoom && this.#links < this.#linksMax && foldedKey.length <= keyUnitsMax;
    const slot = hasRoom ? this.#freeSlot(hash) : undefined;
    if (slot === undefined) {
      this.#isWhole = false;
      return undefined;
    }
    const setPosition = (position: number) => {
      this.table[2 * slot] = hash;
      this.table[2 * slot + 1] = position;
      this.#links++;
    };
    return { domain, setPosition };
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

/** Names of files are on the disk when their folder is. */
function syncFolder(folder: string): void {
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

async function requireDisk(folder: string): Promise<void> {
  if ((await freeDiskBytes(folder)) >= freeBytesMin) return;
  throw new Error(`The disk has less than ${freeBytesMin} bytes left, too few to write a look-up file in ${folder}.`);
}
