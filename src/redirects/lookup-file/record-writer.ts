import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { locationUrl } from "../location-url.ts";
import { defaultStatus } from "../lookup.ts";
import { at, flag, unitBytes } from "./layout.ts";

/** The columns of a link that a record is made of. */
export type FileLink = {
  id: string;
  workspaceId: number;
  domainId: string;
  key: string;
  foldedKey: string;
  url: string;
  redirectStatus: number | null;
  doIndex: number;
  forwardPath: number;
  /** 1 when the link always sends every visitor to its URL. */
  isPlain: number;
};

/** Records are written in blocks of about this size. */
const pieceBytes = 1024 ** 2;
/** An upper bound of a record's size. */
const linkBytesMax = at.texts + 3 * 0xffff + 0xff;

/** Writes records one after the other. */
export class RecordWriter {
  readonly #file: number;
  readonly #segmentBytes: number;
  readonly #piece = Buffer.alloc(pieceBytes + linkBytesMax + unitBytes);
  /** Bytes in the block, and bytes of the file before it. */
  #filled = 0;
  #written = 0;

  constructor(path: string, segmentBytes: number) {
    this.#file = openSync(path, "w");
    this.#segmentBytes = segmentBytes;
    // Position 0 means an empty slot, so no record has it.
    this.#filled = unitBytes;
  }

  /** The number of bytes so far. */
  get length(): number {
    return this.#written + this.#filled;
  }

  /** Adds a link's record; returns its position. */
  add(link: FileLink, domain: number): number {
    const bytes = writeRecord(this.#piece, this.#filled, link, domain);
    if ((this.length % this.#segmentBytes) + bytes > this.#segmentBytes) this.#beginSegment(bytes);
    const position = this.length / unitBytes;
    this.#filled += Math.ceil(bytes / unitBytes) * unitBytes;
    if (this.#filled >= pieceBytes) this.flush();
    return position;
  }

  /** Moves the record that was just written to the beginning of the next segment. */
  #beginSegment(bytes: number): void {
    const record = Buffer.from(this.#piece.subarray(this.#filled, this.#filled + bytes));
    this.flush();
    this.#written = Math.ceil(this.#written / this.#segmentBytes) * this.#segmentBytes;
    record.copy(this.#piece);
  }

  /** True when any further record fits into `bytesMax`. */
  fits(bytesMax: number): boolean {
    return this.length + 2 * linkBytesMax <= bytesMax;
  }

  flush(): void {
    for (let from = 0; from < this.#filled; ) {
      from += writeSync(this.#file, this.#piece, from, this.#filled - from, this.#written + from);
    }
    this.#written += this.#filled;
    this.#filled = 0;
  }

  /** Flushes everything to the disk. */
  finish(): void {
    this.flush();
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Writes a link's record at `offset` and returns its size. */
function writeRecord(into: Buffer, offset: number, link: FileLink, domain: number): number {
  const { id, key, foldedKey } = link;
  const url = link.isPlain === 1 ? sendableOrNone(link.url) : "";
  const [idBytes, keyBytes, foldedKeyBytes, urlBytes] = [id, key, foldedKey, url].map((text) =>
    Buffer.byteLength(text),
  ) as [number, number, number, number];
  const isKeyFolded = key === foldedKey;
  const status = link.redirectStatus ?? defaultStatus;
  const hasAll =
    url !== "" &&
    urlBytes <= 0xffff &&
    idBytes <= 0xff &&
    keyBytes === foldedKeyBytes &&
    link.workspaceId <= 0xffffffff &&
    status <= 0xffff;
  const texts = hasAll ? [id, foldedKey, isKeyFolded ? "" : key, url] : [foldedKey];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  into.writeUInt32LE(domain, offset + at.domain);
  into.writeUInt32LE(hasAll ? link.workspaceId : 0, offset + at.workspace);
  into.writeUInt16LE(hasAll ? status : 0, offset + at.status);
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

/** A stored URL that is not valid must not make the whole file fail. */
function sendableOrNone(url: string): string {
  try {
    return locationUrl(url);
  } catch {
    return "";
  }
}
