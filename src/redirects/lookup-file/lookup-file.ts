import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../base/is-missing.ts";
import {
  at,
  fileNames,
  flag,
  formatVersion,
  type LookupManifest,
  linkKeyHash,
  probesMax,
  slotBytes,
  unitBytes,
} from "./layout.ts";

/** A link that always sends every visitor to its URL, which is absolute and ASCII. */
type PlainLink = {
  id: string;
  workspaceId: number;
  key: string;
  url: string;
  redirectStatus: number;
  forwardPath: boolean;
  doIndex: boolean;
};

/** The result of a lookup in the file: "absent" is certain; for "unknown", read the database. */
export type Found = PlainLink | "absent" | "unknown";

/** A bit set marks changed links by their hash: 1 MiB. 2 ** 17 changes set 2 % of it. */
const supersededBits = 23;
const bitsPerWord = 32;

/**
 * The metadata of the lookup file in a folder; undefined for a missing or incomplete file or one of another version.
 */
export function readLookupManifest(folder: string): LookupManifest | undefined {
  try {
    // Written by write-lookup-file.ts; at worst it is truncated.
    const manifest = JSON.parse(readFileSync(join(folder, fileNames.manifest), "utf8")) as LookupManifest;
    const tableBytes = statSync(join(folder, fileNames.table)).size;
    const recordBytes = statSync(join(folder, fileNames.records)).size;
    const isWhole = tableBytes === slotBytes * 2 ** manifest.slotBits && recordBytes === manifest.recordBytes;
    return isWhole && manifest.version === formatVersion ? manifest : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) {
      return undefined;
    }
    throw error;
  }
}

/** Maps the lookup file in a folder into memory; undefined as in readLookupManifest. Throws system errors. */
export function openLookupFile(folder: string): LookupFile | undefined {
  const manifest = readLookupManifest(folder);
  return manifest === undefined ? undefined : new LookupFile(manifest, folder);
}

/** An open lookup file, and the links known to have changed since. The file may be unlinked while it is open. */
export class LookupFile {
  readonly manifest: LookupManifest;
  readonly #table: Uint32Array;
  readonly #segments: Buffer[] = [];
  readonly #segmentUnits: number;
  readonly #domains: Map<string, number>;
  readonly #superseded = new Int32Array(2 ** supersededBits / bitsPerWord);
  readonly #goneWorkspaces = new Set<number>();

  constructor(manifest: LookupManifest, folder: string) {
    this.manifest = manifest;
    this.#domains = new Map(manifest.domainIds.map((id, index) => [id, index]));
    const slots = Bun.mmap(join(folder, fileNames.table));
    this.#table = new Uint32Array(slots.buffer, slots.byteOffset, slots.byteLength / Uint32Array.BYTES_PER_ELEMENT);
    const { recordBytes, segmentBytes } = manifest;
    const records = join(folder, fileNames.records);
    this.#segmentUnits = segmentBytes / unitBytes;
    for (let offset = 0; offset < recordBytes; offset += segmentBytes) {
      const size = Math.min(segmentBytes, recordBytes - offset);
      const { buffer, byteOffset } = Bun.mmap(records, { offset, size });
      this.#segments.push(Buffer.from(buffer, byteOffset, size));
    }
  }

  /** Makes `find` return "unknown" for this link from now on. */
  supersede(domainId: string, foldedKey: string): void {
    const domain = this.#domains.get(domainId);
    if (domain === undefined) return;
    const bit = supersededBit(linkKeyHash(this.manifest.seed, domain, foldedKey));
    this.#superseded[bit >>> 5] = (this.#superseded[bit >>> 5] ?? 0) | (1 << bit);
  }

  /** Makes `find` return "absent" for the links of this workspace from now on. */
  supersedeWorkspace(workspaceId: number): void {
    this.#goneWorkspaces.add(workspaceId);
  }

  /** Finds a link, unless it was superseded. */
  find(domainId: string, foldedKey: string): Found {
    const domain = this.#domains.get(domainId);
    if (domain === undefined) return "unknown";
    const hash = linkKeyHash(this.manifest.seed, domain, foldedKey);
    const bit = supersededBit(hash);
    if (((this.#superseded[bit >>> 5] ?? 0) & (1 << bit)) !== 0) return "unknown";
    const table = this.#table;
    const mask = 2 ** this.manifest.slotBits - 1;
    const first = hash >>> (32 - this.manifest.slotBits);
    for (let probe = 0; probe < probesMax; probe++) {
      const word = 2 * ((first + probe) & mask);
      const position = table[word + 1] ?? 0;
      if (position === 0) break;
      if (table[word] !== hash) continue;
      const found = this.#read(position, domain, foldedKey);
      if (found !== undefined) return found;
    }
    return this.manifest.isWhole ? "absent" : "unknown";
  }

  /** The record at a position; undefined when it is another link's. */
  #read(position: number, domain: number, foldedKey: string): Found | undefined {
    const segment = this.#segments[Math.floor(position / this.#segmentUnits)];
    if (segment === undefined) throw new RangeError(`The lookup file has no record ${position}.`);
    const offset = (position % this.#segmentUnits) * unitBytes;
    const flags = segment[offset + at.flags] ?? 0;
    if (uint32(segment, offset + at.domain) !== domain) return undefined;
    const idBytes = segment[offset + at.idBytes] ?? 0;
    const keyBytes = uint16(segment, offset + at.foldedKeyBytes);
    const read = (flags & flag.isAscii) !== 0 ? readAscii : readText;
    const keyOffset = offset + at.texts + idBytes;
    if (read(segment, keyOffset, keyBytes) !== foldedKey) return undefined;
    if ((flags & flag.hasAll) === 0) return "unknown";
    const workspaceId = uint32(segment, offset + at.workspace);
    if (this.#goneWorkspaces.has(workspaceId)) return "absent";
    const isKeyFolded = (flags & flag.isKeyFolded) !== 0;
    const ownKeyOffset = isKeyFolded ? keyOffset : keyOffset + keyBytes;
    return {
      id: read(segment, offset + at.texts, idBytes),
      workspaceId,
      key: read(segment, ownKeyOffset, keyBytes),
      url: read(segment, ownKeyOffset + keyBytes, uint16(segment, offset + at.urlBytes)),
      redirectStatus: uint16(segment, offset + at.status),
      forwardPath: (flags & flag.forwardPath) !== 0,
      doIndex: (flags & flag.doIndex) !== 0,
    };
  }
}

/** Mixes in the bits of the hash that do not select the slot. */
function supersededBit(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (bitsPerWord - supersededBits);
}

function uint16(bytes: Buffer, offset: number): number {
  return (bytes[offset] ?? 0) | ((bytes[offset + 1] ?? 0) << 8);
}

function uint32(bytes: Buffer, offset: number): number {
  return (uint16(bytes, offset) | (uint16(bytes, offset + 2) << 16)) >>> 0;
}

function readAscii(bytes: Buffer, offset: number, length: number): string {
  return bytes.toString("latin1", offset, offset + length);
}

function readText(bytes: Buffer, offset: number, length: number): string {
  return bytes.toString("utf8", offset, offset + length);
}
