import { expect } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { engines } from "./databases.ts";
import { sharedPostgres } from "./postgres.ts";
import { eventually, type TestService } from "./server.ts";

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
export async function expectNoCopies(server: TestService): Promise<void> {
  await eventually(
    async () => existsSync(join(server.data, "waypost.backup")),
    (isThere) => !isThere,
  );
}

/** The keys of the links of createBackupLinks. */
export const backupKeys = ["a", "b", "c", "d"];

/** Creates a link with a tag and a comment for each key. */
export async function createBackupLinks(server: TestService): Promise<void> {
  for (const key of backupKeys) {
    expect((await server.call("POST", "/tags", { body: { name: `tag ${key}` } })).status).toBeLessThan(300);
    const body = { url: `https://example.com/${key}`, key, tagNames: [`tag ${key}`], comments: "kept" };
    expect((await server.call("POST", "/links", { body })).status).toBe(200);
  }
}

/** The environment of a server on restored data: on PostgreSQL, with a new, empty database. */
export async function newDatabaseEnvironment(engine: (typeof engines)[number]): Promise<Record<string, string>> {
  if (engine === "sqlite") return {};
  const postgres = await sharedPostgres();
  return { WAYPOST_DATABASE_URL: await postgres.createDatabase() };
}
