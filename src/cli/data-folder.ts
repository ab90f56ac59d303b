import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tryLock } from "../base/hold.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { requireUsableFiles } from "./data-files.ts";
import { Refusal } from "./refusal.ts";

/** The data folder, held by this process alone until it is released. */
export type HeldFolder = { release(): void };

/**
 * Makes the data folder where there is none, and holds it; undefined while another process does.
 * Throws Refusal with one line for a folder that cannot be used.
 */
export function holdDataFolder(config: Config): HeldFolder | undefined {
  const { data, lock } = dataPaths(config);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Refusal(
      `WAYPOST_DATA: the folder ${data} cannot be made or entered (${messageOf(error)}). Give the path of a folder.`,
    );
  }
  requireUsableFiles(config);
  try {
    const held = tryLock(lock);
    if (held === undefined) return undefined;
    writeFileSync(holderFile(lock), String(process.pid));
    return {
      release() {
        rmSync(holderFile(lock), { force: true });
        held.release();
      },
    };
  } catch (error) {
    throw new Refusal(
      `WAYPOST_DATA: the folder ${data} cannot be written to (${messageOf(error)}). ` +
        "Give its ownership to the user that runs Waypost.",
    );
  }
}

/** Holds the data folder as holdDataFolder does, for a command: what it makes belongs to the folder's owner. */
export function holdDataFolderAsOwner(config: Config): HeldFolder | undefined {
  becomeFolderOwner(config);
  return holdDataFolder(config);
}

/**
 * Where root gives a command, goes on as the owner of the data folder: files of root in it would keep the service from
 * starting. Root does not change their owner afterwards, since the folder's owner could lead it to other files by links.
 * Throws Refusal where root may not do that, as in some containers.
 */
export function becomeFolderOwner(config: Config): void {
  const { data } = dataPaths(config);
  const owner = foreignOwner(config);
  if (owner === undefined) return;
  try {
    process.setgroups?.([owner.gid]);
    process.setgid?.(owner.gid);
    process.setuid?.(owner.uid);
  } catch (error) {
    throw new Refusal(
      `WAYPOST_DATA: the folder ${data} belongs to user ${owner.uid}, and root may not act as that user here ` +
        `(${messageOf(error)}). Give the command as that user.`,
    );
  }
}

/** The owner of the data folder, where that is another user than root, who runs this process. */
export function foreignOwner(config: Config): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataPaths(config).data, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? undefined : owner;
}

/** Refuses to use a folder that another process holds. */
export function folderInUse(config: Config): Refusal {
  const { data, lock } = dataPaths(config);
  return new Refusal(
    `The data folder ${data} is in use by another Waypost${holderOf(lock)}. Stop that one, or set WAYPOST_DATA to another folder.`,
  );
}

function holderOf(lock: string): string {
  try {
    return ` (process ${readFileSync(holderFile(lock), "utf8")})`;
  } catch {
    // Only a courtesy: the other one may be just starting.
    return "";
  }
}

function holderFile(lock: string): string {
  return `${lock}.pid`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
