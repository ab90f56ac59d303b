import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tryLockFile } from "../base/file-lock.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { CliError } from "./cli-error.ts";
import { requireUsableFiles } from "./data-files.ts";

/** The data folder, held by this process alone until it is released. */
export type DataFolderLock = { release(): void };

/**
 * Makes the data folder where there is none, and holds it; undefined while another process does.
 * Throws CliError with one line for a folder that cannot be used.
 */
export function lockDataFolder(config: Config): DataFolderLock | undefined {
  const { data, lock } = dataPaths(config);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(
      `WAYPOST_DATA: the folder ${data} cannot be made or entered (${messageOf(error)}). Give the path of a folder.`,
    );
  }
  requireUsableFiles(config);
  try {
    const held = tryLockFile(lock);
    if (held === undefined) return undefined;
    writeFileSync(pidFile(lock), String(process.pid));
    return {
      release() {
        rmSync(pidFile(lock), { force: true });
        held.release();
      },
    };
  } catch (error) {
    throw new CliError(
      `WAYPOST_DATA: the folder ${data} cannot be written to (${messageOf(error)}). ` +
        "Give its ownership to the user that runs Waypost.",
    );
  }
}

/** Holds the data folder as holdDataFolder does, for a command: what it makes belongs to the folder's owner. */
export function lockDataFolderAsOwner(config: Config): DataFolderLock | undefined {
  switchToFolderOwner(config);
  return lockDataFolder(config);
}

/**
 * Where root gives a command, goes on as the owner of the data folder: files of root in it would keep the service from
 * starting. Root does not change their owner afterwards, since the folder's owner could lead it to other files by links.
 * Throws CliError where root may not do that, as in some containers.
 */
export function switchToFolderOwner(config: Config): void {
  const { data } = dataPaths(config);
  const owner = otherOwner(config);
  if (owner === undefined) return;
  try {
    process.setgroups?.([owner.gid]);
    process.setgid?.(owner.gid);
    process.setuid?.(owner.uid);
  } catch (error) {
    throw new CliError(
      `WAYPOST_DATA: the folder ${data} belongs to user ${owner.uid}, and root may not act as that user here ` +
        `(${messageOf(error)}). Give the command as that user.`,
    );
  }
}

/** The owner of the data folder, where that is another user than root, who runs this process. */
export function otherOwner(config: Config): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataPaths(config).data, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? undefined : owner;
}

/** Refuses to use a folder that another process holds. */
export function folderInUseError(config: Config): CliError {
  const { data, lock } = dataPaths(config);
  return new CliError(
    `The data folder ${data} is in use by another Waypost${holderOf(lock)}. Stop that one, or set WAYPOST_DATA to another folder.`,
  );
}

function holderOf(lock: string): string {
  try {
    return ` (process ${readFileSync(pidFile(lock), "utf8")})`;
  } catch {
    // Only a courtesy: the other one may be just starting.
    return "";
  }
}

function pidFile(lock: string): string {
  return `${lock}.pid`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
