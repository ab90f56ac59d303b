import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { diskFailureOf } from "../base/disk-failure.ts";
import { messageOf } from "../base/message-of.ts";
import { webStreamOf } from "../base/web-stream.ts";
import {
  bytesOf,
  formatVersion,
  listBytesMax,
  Manifest,
  manifestName,
  sumsName,
  trailerBytes,
  trailerOf,
} from "./archive-format.ts";

/** A file that is no backup, or a damaged or incomplete one. The message is for the operator. */
export class DamagedBackup extends Error {
  override readonly name = "DamagedBackup";
}

/** Called with the manifest before any file is written, and with the bytes of each write. */
type Extraction = { onManifest(manifest: Manifest): Promise<void> | void; onWrite(bytes: number): void };

/**
 * Writes the files of an archive into `folder`, and returns its manifest after every checksum was found right. The
 * folder holds a part of the files when this throws. Throws DamagedBackup, and the disk's errors.
 */
export async function extractArchive(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  { onManifest, onWrite }: Extraction,
): Promise<Manifest> {
  try {
    const whole = new WholeFile(archive);
    const tar = pipeline(Readable.from(whole.contents()), createZstdDecompress(), () => {});
    const entries = new Entries(folder, onWrite);
    const decoded = webStreamOf(tar).pipeThrough(createTarDecoder({ strict: true }));
    for await (const entry of decoded) {
      const manifest = await entries.take(entry);
      if (manifest !== undefined) await onManifest(manifest);
    }
    const manifest = entries.end();
    if (!whole.isRight) throw new DamagedBackup("The checksum of the whole file is wrong.");
    return manifest;
  } catch (error) {
    if (error instanceof DamagedBackup || diskFailureOf(error) !== undefined || isOperators(error)) throw error;
    throw new DamagedBackup(messageOf(error), { cause: error });
  }
}

/** Errors of `onManifest`, and of decryption, which are already for the operator. */
function isOperators(error: unknown): boolean {
  return error instanceof Error && (error.name === "CliError" || error.name === "Problem");
}

/** The bytes before the trailer, and after they were read, whether the trailer is right. */
class WholeFile {
  isRight = false;
  readonly #archive: AsyncIterable<Uint8Array>;

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#archive = archive;
  }

  async *contents(): AsyncGenerator<Uint8Array> {
    const hash = createHash("sha256");
    let held = Buffer.alloc(0);
    for await (const chunk of this.#archive) {
      const bytes = Buffer.concat([held, chunk]);
      const cut = Math.max(0, bytes.length - trailerBytes);
      held = bytes.subarray(cut);
      const contents = bytes.subarray(0, cut);
      hash.update(contents);
      if (contents.length > 0) yield contents;
    }
    this.isRight = held.equals(trailerOf(hash.digest()));
  }
}

/** The entries of an archive in their order, written to a folder and checked against the manifest and the sums. */
class Entries {
  readonly #folder: string;
  readonly #onWrite: (bytes: number) => void;
  readonly #sums: string[] = [];
  #manifest: Manifest | undefined;
  #next = 0;
  #areSumsRight = false;

  constructor(folder: string, onWrite: (bytes: number) => void) {
    this.#folder = folder;
    this.#onWrite = onWrite;
  }

  /** Takes the next entry; returns the manifest when the entry is the manifest. */
  async take({ header: { name, size, type }, body }: ParsedTarEntry): Promise<Manifest | undefined> {
    if (type !== undefined && type !== "file") throw new DamagedBackup(`${name} is not a file.`);
    const manifest = this.#manifest;
    if (manifest === undefined) {
      if (name !== manifestName) throw new DamagedBackup(`It begins with ${name}, not with ${manifestName}.`);
      this.#manifest = parseManifest(await this.#readText(name, size, body));
      return this.#manifest;
    }
    const file = manifest.files[this.#next];
    this.#next++;
    if (file !== undefined) {
      if (file.name !== name || file.bytes !== size) throw new DamagedBackup(`${name} is not in its manifest.`);
      await this.#writeFile(name, size, body);
      return undefined;
    }
    if (name !== sumsName || this.#areSumsRight) throw new DamagedBackup(`${name} is not in its manifest.`);
    const expected = this.#sums.join("");
    if ((await this.#readText(name, size, body)) !== expected) throw new DamagedBackup("A checksum is wrong.");
    this.#areSumsRight = true;
    return undefined;
  }

  /** Returns the manifest of a complete archive. */
  end(): Manifest {
    if (this.#manifest === undefined || !this.#areSumsRight) throw new DamagedBackup("It is incomplete.");
    return this.#manifest;
  }

  async #readText(name: string, size: number, body: ReadableStream<Uint8Array>): Promise<string> {
    if (size > listBytesMax) throw new DamagedBackup(`${name} has ${size} bytes.`);
    const bytes = Buffer.concat(await Array.fromAsync(body));
    this.#note(name, createHash("sha256").update(bytes).digest("hex"));
    return bytes.toString("utf8");
  }

  async #writeFile(name: string, size: number, body: ReadableStream<Uint8Array>): Promise<void> {
    const path = join(this.#folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      const hash = createHash("sha256");
      let written = 0;
      for await (const chunk of body) {
        hash.update(chunk);
        await file.writeFile(chunk);
        written += chunk.length;
        this.#onWrite(chunk.length);
      }
      if (written !== size) throw new DamagedBackup(`${name} is incomplete.`);
      await file.sync();
      this.#note(name, hash.digest("hex"));
    } finally {
      await file.close();
    }
  }

  #note(name: string, digest: string): void {
    this.#sums.push(`${digest}  ${name}\n`);
  }
}

function parseManifest(text: string): Manifest {
  const found = JSON.parse(text);
  if (typeof found === "object" && found !== null && "format" in found && Number(found.format) > formatVersion) {
    throw new DamagedBackup(`Its format is version ${found.format}, which a newer version of Waypost reads.`);
  }
  const { data: manifest, error } = Manifest.safeParse(found);
  if (manifest === undefined || !Number.isSafeInteger(bytesOf(manifest))) {
    throw new DamagedBackup("Its manifest is damaged.", { cause: error });
  }
  return manifest;
}
