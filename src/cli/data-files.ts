import { accessSync, chmodSync, constants, existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../base/is-missing.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { CliError } from "./cli-error.ts";

/** A file or folder of Waypost in the data folder. */
type DataFile = { path: string; stats: Stats };

/** The names that Waypost creates in the data folder; other files belong to the operator and are left alone. */
const waypostNames = /^((waypost|clicks|links|main|admin|worker-\d+)\.|(spool|lookup|exports|secret)$)/;

/** The files that locks create, an interrupted restore, and the secret that the operator has copied. */
const emptyNames = /^(waypost\.lock|clicks\.move\.lock|waypost\.restore$|secret$)/;

/** Throws CliError unless the data folder holds no file of Waypost, apart from locks and the secret. */
export function requireEmptyFolder(config: Config): void {
  const { data } = dataPaths(config);
  const found = namesIn(data).filter((name) => waypostNames.test(name) && !emptyNames.test(name));
  if (found.length === 0) return;
  throw new CliError(
    `WAYPOST_DATA: ${data} is not empty: it holds ${found[0]}. Restore into another folder, or move its files away first.`,
  );
}

/** Throws CliError after an interrupted restore, whose folder holds a part of the data. */
export function refuseInterruptedRestore(config: Config): void {
  const interrupted = describeInterruptedRestore(config);
  if (interrupted !== undefined) throw new CliError(interrupted);
}

/** Says what to do after an interrupted restore; undefined without one. */
export function describeInterruptedRestore(config: Config): string | undefined {
  const { data, restore } = dataPaths(config);
  if (!existsSync(restore)) return undefined;
  return `WAYPOST_DATA: a restore into ${data} was interrupted. Empty the folder, and the PostgreSQL database if there is one, and restore again.`;
}

/** Throws CliError for the first file of Waypost that this user cannot read and write. */
export function requireUsableFiles(config: Config): void {
  const [unusable] = unusableFiles(config);
  if (unusable === undefined) return;
  const { path, stats } = unusable;
  const [uid, gid, { data }] = [process.getuid?.(), process.getgid?.(), dataPaths(config)];
  throw new CliError(
    `WAYPOST_DATA: ${path} cannot be read and written by user ${uid}, who runs Waypost: it belongs to user ${stats.uid} and ` +
      `has mode ${modeOf(stats)}. Fix it with: chown -R ${uid}:${gid} ${data} && chmod -R u=rwX,go= ${data}`,
  );
}

/** Makes all files of Waypost accessible to their owner only; earlier versions created files that others can read. */
export function makeFilesPrivate(config: Config): void {
  for (const { path, stats } of exposedFiles(config)) {
    try {
      chmodSync(path, stats.mode & 0o700);
    } catch (error) {
      // The file was removed, or belongs to another user: requireUsableFiles and doctor report it.
      if (!isMissing(error) && !isNotPermitted(error)) throw error;
    }
  }
}

/** Describes in one line what is wrong with the owners and modes of the files; undefined when all are right. */
export function describeFileProblem(config: Config): string | undefined {
  const { data } = dataPaths(config);
  const [unusable, open] = [unusableFiles(config), exposedFiles(config)];
  const [first] = unusable;
  if (first !== undefined) {
    return `${first.path} belongs to user ${first.stats.uid}, has mode ${modeOf(first.stats)} and cannot be used; give ${data} to the user that runs Waypost`;
  }
  const [one] = open;
  if (one === undefined) return undefined;
  return `other users can read ${one.path} (mode ${modeOf(one.stats)})${open.length === 1 ? "" : ` and ${open.length - 1} more`}; restart Waypost, or: chmod -R go= ${data}`;
}

function unusableFiles(config: Config): DataFile[] {
  return dataFiles(config).filter(({ path, stats }) => {
    const mode = constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0);
    try {
      accessSync(path, mode);
      return false;
    } catch (error) {
      return !isMissing(error);
    }
  });
}

/** Windows has no file modes. */
function exposedFiles(config: Config): DataFile[] {
  if (process.platform === "win32") return [];
  return dataFiles(config).filter(({ stats }) => !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0);
}

function dataFiles(config: Config): DataFile[] {
  const { data } = dataPaths(config);
  return namesIn(data)
    .filter((name) => waypostNames.test(name))
    .flatMap((name) => filesFrom(join(data, name)));
}

/** Lists a file, or a folder with all its contents. */
function filesFrom(path: string): DataFile[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const inside = stats.isDirectory() ? namesIn(path).flatMap((name) => filesFrom(join(path, name))) : [];
  return [{ path, stats }, ...inside];
}

/** Returns no names for an unreadable folder, which unusableFiles reports itself. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPERM";
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
