import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, type TestServer } from "./server.ts";

/** Calls `use` with a new folder, and removes it afterwards. */
export async function withBackupFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-backup-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The server removes the copies when the command has left, which may be a moment later. */
export async function expectNoCopies(server: TestServer): Promise<void> {
  await eventually(
    async () => existsSync(join(server.data, "waypost.backup")),
    (isThere) => !isThere,
  );
}
