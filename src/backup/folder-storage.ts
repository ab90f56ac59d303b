import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../base/problem.ts";
import { backupFolderProblem } from "./backup-folder.ts";
import type { BackupStorage, StoredFile } from "./backup-storage.ts";
import { writeBackupFile } from "./write-backup-file.ts";

/** Backups in a folder, which must exist. */
export class FolderStorage implements BackupStorage {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async write(name: string, file: StoredFile): Promise<number> {
    this.#require();
    return await writeBackupFile(this.addressOf(name), file, { mayReplace: false });
  }

  async list(prefix: string): Promise<string[]> {
    this.#require();
    return (await readdir(this.#path)).filter((name) => name.startsWith(prefix));
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.addressOf(name), { force: true });
  }

  addressOf(name: string): string {
    return join(this.#path, name);
  }

  #require(): void {
    const problem = backupFolderProblem(this.#path);
    if (problem !== undefined) throw new Problem("unavailable", `${problem[0]?.toUpperCase()}${problem.slice(1)}`);
  }
}
