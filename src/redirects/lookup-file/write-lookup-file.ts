import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { freeBytesMin, freeDiskBytes } from "../../base/disk-space.ts";
import { openSqliteReader, type SqliteReader } from "../../database/sqlite-reader.ts";
import { linkFields, redirectFields } from "../../links/fields.ts";
import { openChanges } from "../link-changes.ts";
import { isKept } from "../lookup.ts";
import {
  domainsMax,
  fileNames,
  formatVersion,
  type LookupManifest,
  linkKeyHash,
  linksMax,
  probesMax,
  recordBytesMax,
  segmentBytes,
} from "./layout.ts";
import { type FileLink, RecordWriter } from "./record-writer.ts";

type RedirectField = (typeof redirectFields)[number];

const linksPerRead = 2_000;
/** The bounds of a file and its segments. */
type Bounds = Pick<LookupManifest, "segmentBytes"> & { linksMax: number; recordBytesMax: number };

/** Longer than any key that the rules of links allow. */
const keyUnitsMax = 1_000;
/** Slots per link, at least: more make the file larger, fewer make lookups slower. */
const slotsPerLink = 1.5;

/** The fields that records hold. */
const recordFields = ["redirectStatus", "doIndex", "forwardPath"] as const satisfies RedirectField[];
/** Fields without effect while another one is unset: rewrite, or testVariants. */
const dependentFields = ["title", "testStartedAt", "testCompletedAt"] as const satisfies RedirectField[];

/**
 * SQL: true when the link always sends every visitor to its URL. Any other field that affects redirects must be unset,
 * so that a new one makes its links be read from the database.
 */
const isPlain = redirectFields
  .filter((name) => ![...recordFields, ...dependentFields].some((other) => other === name))
  .map((name) => (linkFields[name].unset === null ? `"${name}" IS NULL` : `"${name}" = ${linkFields[name].unset}`))
  .join(" AND ");

const selectLinks = `
  SELECT seq, id, "workspaceId", "domainId", key, "foldedKey", url, "redirectStatus", "doIndex", "forwardPath",
    ${isPlain} AND "passwordHash" IS NULL AND url <> '' AS "isPlain"
  FROM links WHERE seq > ? AND seq <= ? AND ${isKept("links")} ORDER BY seq LIMIT ${linksPerRead}`;

/**
 * Writes a lookup file of the links in the database at `path` into a new folder. Takes a minute for ten million links
 * and at most half a GiB of memory. Links may change while it runs; readers apply those changes from the outbox.
 * Guarantee: a folder with `facts.json` is complete and on the disk. After a failure the folder is removed.
 * Resolves with undefined after an abort.
 */
export async function writeLookupFile(
  path: string,
  folder: string,
  signal: AbortSignal,
  bounds: Bounds = { linksMax, segmentBytes, recordBytesMax },
): Promise<LookupManifest | undefined> {
  const database = openSqliteReader(path);
  mkdirSync(folder, { recursive: true });
  let manifest: LookupManifest | undefined;
  try {
    manifest = await writeParts(database, folder, bounds, signal);
  } finally {
    database.close();
    if (manifest === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return manifest;
}

async function writeParts(
  database: SqliteReader,
  folder: string,
  bounds: Bounds,
  signal: AbortSignal,
): Promise<LookupManifest | undefined> {
  // Read first: every later change has a later event, whether the rows below show it or not.
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
      // Lets the thread receive a call that aborts it.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return undefined;
    }
    records.finish();
  } finally {
    records.close();
  }
  writeWhole(join(folder, fileNames.table), slots.table);
  const manifest = {
    version: formatVersion,
    event,
    ...slots.manifest,
    recordBytes: records.length,
    segmentBytes: bounds.segmentBytes,
  };
  writeWhole(join(folder, fileNames.manifest), Buffer.from(JSON.stringify(manifest)));
  syncFolder(folder);
  syncFolder(dirname(folder));
  return manifest;
}

/** Assigns each link a slot of the table. */
class SlotTable {
  readonly table: Uint32Array;
  readonly #linksMax: number;
  readonly #slotBits: number;
  readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  readonly #domains = new Map<string, number>();
  #links = 0;
  #isWhole = true;

  /** A table for at most `linksCount` links. */
  constructor(linksCount: number) {
    this.#linksMax = linksCount;
    this.#slotBits = Math.max(1, Math.ceil(Math.log2(linksCount * slotsPerLink)));
    this.table = new Uint32Array(2 * 2 ** this.#slotBits);
  }

  get manifest(): Pick<LookupManifest, "links" | "seed" | "slotBits" | "isWhole" | "domainIds"> {
    const [seed, slotBits, isWhole] = [this.#seed, this.#slotBits, this.#isWhole];
    return { links: this.#links, seed, slotBits, isWhole, domainIds: [...this.#domains.keys()] };
  }

  /**
   * The slot of a link, with a function that stores its record's position; undefined when the table has no room for it.
   */
  assignSlot(
    { domainId, foldedKey }: FileLink,
    isRecordRoom: boolean,
  ): { domain: number; setPosition(position: number): void } | undefined {
    const domain = this.#domainOf(domainId);
    // Links of a domain that is not in the file are always looked up in the database.
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

/** Syncs the folder, which holds the names of the files. */
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
  throw new Error(`The disk has less than ${freeBytesMin} bytes left, too few to write a lookup file in ${folder}.`);
}
