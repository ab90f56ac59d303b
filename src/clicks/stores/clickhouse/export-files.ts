import { mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ExportFile, type ExportFormat, exportTimeMaxMs } from "../../export.ts";
import type { Row } from "./client.ts";
import { csvHeader } from "./compile-export.ts";

/** The queries of an export. */
type Source = {
  count(signal: AbortSignal): Promise<Row[]>;
  stream(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
};

/**
 * Writes exports into files of a folder that no other user can read, and removes the files that a killed process has
 * left there. Callers bound their number.
 */
export class ExportFiles {
  readonly #folder: string;
  readonly #running = new Set<Promise<unknown>>();

  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Begins an export; its file is removed when `signal` is aborted. */
  async begin(format: ExportFormat, source: Source, signal: AbortSignal): Promise<ExportFile> {
    signal.throwIfAborted();
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(exportTimeMaxMs)]);
    const [counted] = await source.count(inTime);
    const path = join(this.#folder, `${crypto.randomUUID()}.${format}`);
    const file = await open(path, "wx", 0o600);
    const length = this.#write(file, format === "csv" ? csvHeader : "", () => source.stream(inTime), inTime);
    // Its caller may await it late or never.
    this.#track(length);
    this.#track(this.#removeAfter(signal, path, length));
    return { clicks: Number(counted?.["clicks"]), path, length };
  }

  /** Waits until all exports have ended and their files are removed. Their signals must be aborted. */
  async close(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  async #write(
    file: FileHandle,
    header: string,
    begin: () => Promise<AsyncIterable<Uint8Array>>,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      let bytes = 0;
      const write = async (chunk: Uint8Array) => {
        await file.writeFile(chunk);
        bytes += chunk.length;
      };
      await write(Buffer.from(header));
      for await (const chunk of await begin()) {
        signal.throwIfAborted();
        await write(chunk);
      }
      signal.throwIfAborted();
      return bytes;
    } finally {
      await file.close();
    }
  }

  async #removeAfter(signal: AbortSignal, path: string, length: Promise<unknown>): Promise<void> {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    // A file that cannot be removed is removed when the store is opened again.
    await rm(path, { force: true }).catch(() => {});
    await length.catch(() => {});
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, forget);
  }
}
