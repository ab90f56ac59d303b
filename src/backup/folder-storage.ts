import { mkdirSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../base/is-missing.ts";
import { messageOf } from "../base/message-of.ts";
import { Problem } from "../base/problem.ts";
import type { BackupStorage, StoredFile } from "./backup-storage.ts";
import { writeBackupFile } from "./write-backup-file.ts";

/** Backups in a folder, which the first one creates. */
export class FolderStorage implements BackupStorage {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async write(name: string, file: StoredFile): Promise<number> {
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new Problem("unavailable", `${this.#path} cannot be created (${messageOf(cause)}).`, { cause });
    }
    return await writeBackupFile(this.addressOf(name), file, { mayReplace: false });
  }

  async list(prefix: string): Promise<string[]> {
    try {
      return (await readdir(this.#path)).filter((name) => name.startsWith(prefix));
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw new Problem("unavailable", `${this.#path} cannot be read (${messageOf(cause)}).`, { cause });
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.addressOf(name), { force: true });
  }

  addressOf(name: string): string {
    return join(this.#path, name);
  }
}
