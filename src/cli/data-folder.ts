import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { diskFailureOf } from "../base/disk-failure.ts";
import { tryLockFile } from "../base/file-lock.ts";
import { isMissing } from "../base/is-missing.ts";
import { messageOf } from "../base/message-of.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { refuseMissingDatabase } from "../kept-clicks.ts";
import { CliError } from "./cli-error.ts";
import { refuseInterruptedRestore, requireUsableFiles } from "./data-files.ts";
import { userName } from "./user-name.ts";

/** The lock of the data folder. */
type DataFolderLock = { release(): void };

/**
 * Creates the data folder if needed, and locks it; undefined while another process holds the lock.
 * Throws CliError for a folder that cannot be used.
 */
export function lockDataFolder(config: Config): DataFolderLock | undefined {
  refuseInterruptedRestore(config);
  refuseMissingDatabase(config);
  return lockAnyFolder(config);
}

/** Locks the data folder like lockDataFolderAsOwner, for a restore, which may follow an interrupted one. */
export function lockFolderForRestore(config: Config): DataFolderLock | undefined {
  switchToFolderOwner(config);
  return lockAnyFolder(config);
}

function lockAnyFolder(config: Config): DataFolderLock | undefined {
  const { data, lock } = dataPaths(config);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(
      `WAYPOST_DATA: the folder ${data} cannot be created or entered (${messageOf(error)}). Give the path of a folder.`,
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
    const advice = diskFailureOf(error)?.advice ?? "Give its ownership to the user that runs Waypost.";
    throw new CliError(`WAYPOST_DATA: the folder ${data} cannot be written to (${messageOf(error)}). ${advice}`);
  }
}

/** Locks the data folder like lockDataFolder, but as the folder's owner, so that a command creates no files of root. */
export function lockDataFolderAsOwner(config: Config): DataFolderLock | undefined {
  switchToFolderOwner(config);
  return lockDataFolder(config);
}

/**
 * Switches from root to the owner of the data folder, because files of root in it would keep the service from starting.
 * Root does not change their owner afterwards: the folder's owner could redirect root to other files with symbolic
 * links.
 * Throws CliError where root may not switch, as in some containers, and for another user who may not use the folder.
 */
export function switchToFolderOwner(config: Config): void {
  const { data } = dataPaths(config);
  const denied = deniedFolder(config);
  if (denied !== undefined) throw new CliError(`WAYPOST_DATA: ${denied}`);
  const owner = otherOwner(config);
  if (owner === undefined) return;
  try {
    process.setgroups?.([owner.gid]);
    process.setgid?.(owner.gid);
    process.setuid?.(owner.uid);
  } catch (error) {
    throw new CliError(
      `WAYPOST_DATA: the folder ${data} belongs to user ${owner.uid}, and root may not act as that user here ` +
        `(${messageOf(error)}). Run the command as that user.`,
    );
  }
}

/**
 * Says whose folder this is, to a user who neither owns it nor may use it; undefined when this user may use it, or can fix
 * it. The reason is the user, not the folder: other rights would only break the service that runs on it.
 */
export function deniedFolder(config: Config): string | undefined {
  const { data, spool, lock, sqlite } = dataPaths(config);
  const user = process.getuid?.();
  if (user === undefined || user === 0) return undefined;
  // No service has used this folder, such as one that a container engine created as root: its owner is wrong, not the user.
  if (isReadable(data) && ![lock, sqlite, spool].some((path) => existsSync(path))) return undefined;
  for (const folder of [data, spool]) {
    const owner = ownerWithoutAccess(folder);
    if (owner === undefined || owner === user) continue;
    const able = owner === 0 ? "root" : `${userName(owner)} or as root`;
    return `${data} belongs to ${userName(owner)}, and you are ${userName(user)}. Run this command as ${able}.`;
  }
  return undefined;
}

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The owner of a folder that this process may not use; undefined for one that it may use, and for none. */
function ownerWithoutAccess(folder: string): number | undefined {
  try {
    const found = statSync(folder);
    try {
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      return undefined;
    } catch {
      return found.uid;
    }
  } catch (error) {
    // Without access to a parent folder, its owner is unknown, and the use of the folder reports it.
    if (!isMissing(error) && diskFailureOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Returns the owner of the data folder when root runs this process and another user owns the folder. */
export function otherOwner(config: Config): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataPaths(config).data, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? undefined : owner;
}

/** True while another process has locked the data folder. */
export function isFolderInUse(config: Config): boolean {
  const { lock } = dataPaths(config);
  // Without this file, no process holds the lock; a check creates none.
  if (!existsSync(pidFile(lock))) return false;
  const held = tryLockFile(lock);
  held?.release();
  return held === undefined;
}

/** Returns the error for a data folder that another process has locked. */
export function folderInUseError(config: Config): CliError {
  const { data, lock } = dataPaths(config);
  return new CliError(
    `The data folder ${data} is in use by another Waypost${holderOf(lock)}. Stop it, or set WAYPOST_DATA to another folder.`,
  );
}

/** Returns the error for a command on a service that answers no commands, as while it redirects without PostgreSQL. */
export function silentServiceError(config: Config): CliError {
  const { data, lock } = dataPaths(config);
  return new CliError(
    `The Waypost on ${data}${holderOf(lock)} answers no commands yet: it is starting, or waits for PostgreSQL. Run the command again when waypost doctor says that the database answers.`,
  );
}

/** Returns the error for a command that needs this data folder alone; `during` is what the command does. */
export function stopFirstError(config: Config, during: string): CliError {
  return new CliError(`Stop Waypost${holderOf(dataPaths(config).lock)} first; it cannot run while ${during}.`);
}

function holderOf(lock: string): string {
  try {
    return ` (process ${readFileSync(pidFile(lock), "utf8")})`;
  } catch {
    // The other process may be starting; the message works without its id.
    return "";
  }
}

function pidFile(lock: string): string {
  return `${lock}.pid`;
}
