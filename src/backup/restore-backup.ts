import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freeDiskBytes } from "../base/disk-space.ts";
import { Problem } from "../base/problem.ts";
import { syncFolder } from "../base/sync-folder.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { copyNames } from "../database/copying-thread.ts";
import { restorePostgres } from "../database/postgres-copy.ts";
import { bytesOf, type Manifest, secretName } from "./archive-format.ts";
import { fingerprintIn } from "./copy-secret.ts";
import { extractArchive } from "./read-archive.ts";
import { requireReadable } from "./require-readable.ts";

/** Called with the bytes to unpack, and with those of each write. */
export type RestoreObserver = { onTotal(bytes: number): void; onWrite(bytes: number): void };

/**
 * Restores an archive into the empty data folder, and into the empty PostgreSQL database if it has one. The caller
 * holds the locks of both.
 * Guarantee: nothing is in its place before all checksums were found right. After a failure both are empty again; after
 * a crash, the folder `waypost.restore` keeps every Waypost from starting on a part of the data.
 * Throws "conflict" for a backup of a newer version or of the other engine, and DamagedBackup.
 */
export async function restoreBackup(
  config: Config,
  archive: AsyncIterable<Uint8Array>,
  { onTotal, onWrite }: RestoreObserver,
): Promise<Manifest> {
  const { data, restore: folder } = dataPaths(config);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  let manifest: Manifest;
  try {
    manifest = await extractArchive(archive, folder, {
      async onManifest(found) {
        requireReadable(found);
        requireEngine(found, config);
        requireSameSecret(found, data);
        await requireRoom(folder, found);
        onTotal(bytesOf(found));
      },
      onWrite,
    });
    const { WAYPOST_DATABASE_URL: url } = config;
    const tables = join(folder, copyNames.postgres);
    if (url !== undefined) await restorePostgres(url, tables, manifest.database);
    rmSync(tables, { recursive: true, force: true });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(data, name));
  syncFolder(data);
  rmSync(folder, { recursive: true });
  syncFolder(data);
  return manifest;
}

function requireEngine({ database: { engine } }: Manifest, { WAYPOST_DATABASE_URL: url }: Config): void {
  if (engine === "postgres" && url === undefined) {
    throw new Problem("conflict", "The backup is of a PostgreSQL database. Set WAYPOST_DATABASE_URL to an empty one.");
  }
  if (engine === "sqlite" && url !== undefined) {
    throw new Problem("conflict", "The backup is of a SQLite database. Restore it without WAYPOST_DATABASE_URL.");
  }
}

/** Refuses another secret than that of the backup, with which nothing that it encrypts could be read. */
function requireSameSecret({ secretFingerprint }: Manifest, data: string): void {
  const present = fingerprintIn(data);
  if (present === "" || secretFingerprint === "" || present === secretFingerprint) return;
  throw new Problem(
    "conflict",
    `${join(data, secretName)} is not the secret of the backup. Use the file of that service.`,
  );
}

/** Throws "unavailable" when the disk of a folder has no room for the files of a backup. */
export async function requireRoom(folder: string, manifest: Manifest): Promise<void> {
  const [needed, free] = [bytesOf(manifest), await freeDiskBytes(folder)];
  if (free >= needed) return;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6).toLocaleString("en");
  throw new Problem("unavailable", `${folder} needs ${megabytes(needed)} MB and has ${megabytes(free)} MB free.`);
}
