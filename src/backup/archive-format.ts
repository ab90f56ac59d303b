/**
 * The format of a backup.
 *
 * 1. A backup is a tar archive, compressed with Zstandard, so `tar --zstd -xf FILE` also opens it. An encrypted backup is
 *    that file inside the age format.
 * 2. The entries are, in this order: `manifest.json`, which lists all files with their sizes; the files; `SHA256SUMS`,
 *    with the SHA-256 of each entry before it, as `sha256sum -c` reads it.
 * 3. The file ends with a skippable frame of Zstandard (RFC 8878, 3.1.2), which decompressors ignore: the SHA-256 of all
 *    bytes before it. So a change of any byte is found, also of bytes that no decompressor reads.
 * 4. The files:
 *    - `waypost.sqlite`, or `postgres/TABLE.jsonl` with a row per line: the relational database, without visitor salts
 *    - `clicks.duckdb`: the click store
 *    - `spool/…`: the segments of every spool, and the records of lost clicks
 *    - `secret`, only in an encrypted backup
 * 5. Consistency: the database and the click store are each of one moment. Each has its cursors in the spools inside,
 *    moved by the transactions of their effects. The spools are copied last, and no segment is deleted from before the
 *    first copy until then. So each copied spool begins before both cursors and ends after them: after a restore,
 *    each reader goes on at its cursor, and every click of the copied spools is stored and counted once.
 * 6. Nothing is removed from the click store, and no purge or erasure begins, between the moments of the two copies. So
 *    no click is counted on a link and missing in the store, or the reverse.
 */
import { z } from "zod";

/** The version of this layout. A reader refuses a higher one. */
export const formatVersion = 1;

/** The names of the first and the last entry. */
export const manifestName = "manifest.json";
export const sumsName = "SHA256SUMS";
/** The name of the secret's file. */
export const secretName = "secret";
/** The name of the click store's file. */
export const storeName = "clicks.duckdb";
/** The folder of the spools. */
export const spoolName = "spool";

/** Bytes of the manifest and of the checksums: a spool of 4 GiB has a hundred segments. */
export const listBytesMax = 4 * 1024 ** 2;

/** The skippable frame: its magic number, its length, and a SHA-256. */
const trailerMagic = 0x184d2a57;
const digestBytes = 32;
export const trailerBytes = 8 + digestBytes;

/** The trailer of a file whose other bytes have this SHA-256. */
export function trailerOf(digest: Buffer): Buffer {
  const head = Buffer.alloc(trailerBytes - digestBytes);
  head.writeUInt32LE(trailerMagic, 0);
  head.writeUInt32LE(digestBytes, 4);
  return Buffer.concat([head, digest]);
}

const counts = z.record(z.string(), z.int());
/** Only names that Waypost writes, so that no entry leaves the folder it is restored to. */
const fileName = z
  .string()
  .regex(/^(waypost\.sqlite|clicks\.duckdb|secret|postgres\/\w+\.jsonl|spool\/(worker-\d{1,4}\/)?[\w-][\w.-]*)$/);

/** The description of a backup, and the first entry of its archive. */
export const Manifest = z.object({
  format: z.int(),
  /** The version of Waypost that made the backup. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  database: z.object({ engine: z.enum(["sqlite", "postgres"]), lastMigration: z.string(), rows: counts }),
  store: z.object({ schemaVersion: z.int(), rows: counts, cursors: counts }),
  /** The copied part of each spool, as positions, by the folder in `spool`; "" is the main process's own. */
  spools: z.array(z.object({ folder: z.string(), id: z.string(), from: z.int(), to: z.int() })),
  /** Whether the secret's file is included; "none" when the data folder has none. */
  secret: z.enum(["included", "excluded", "none"]),
  /** Tells secrets apart without revealing them; "" without a secret. */
  secretFingerprint: z.string(),
  files: z.array(z.object({ name: fileName, bytes: z.int().min(0) })),
});
export type Manifest = z.output<typeof Manifest>;

/** The bytes of all files of a backup. */
export function bytesOf({ files }: Pick<Manifest, "files">): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
