import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { newId } from "../base/ids.ts";
import { syncFolder } from "../base/sync-folder.ts";
import { readOrCreateTextFile } from "../base/text-file.ts";
import { viewSpool } from "../clicks/spool-view.ts";

/** The prefix of ids of nodes. */
const prefix = "node";

/** TABLE of the file systems that several machines may use at once, by the number that statfs reports on Linux. */
const sharedFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x00c36400, "Ceph"],
  [0x65735546, "FUSE"],
  [0x01021997, "9P"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
]);

/** The id of the node with this file, which the first call creates. */
export function nodeId(path: string): string {
  return readOrCreateTextFile(path, () => newId(prefix, Date.now()));
}

/** The name of the file system of a folder, if several machines may use it at once; undefined for a local disk. */
export function sharedFileSystemOf(folder: string): string | undefined {
  return sharedFileSystems.get(Number(statfsSync(folder).type));
}

/** Where a node keeps its id, its spools, and the note of removals that it has missed. */
type NodePaths = { node: string; spool: string; missedSince: string };

/**
 * Makes a new node of a copied data folder: it gets another id. A spool whose id `isKnown` is set aside, because it is a copy
 * of one that the other node stores. The others have only clicks of this folder, from starts without PostgreSQL. Returns the
 * path of the copied spools, if there are some.
 * Guarantee: after a crash at any point, the folder has its former id, or no spool of the other node.
 */
export async function becomeNewNode(
  { node, spool, missedSince }: NodePaths,
  isKnown: (spoolId: string) => Promise<boolean>,
): Promise<string | undefined> {
  const copied = `${dirname(spool)}/spool.copied-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  for (const folder of spoolsIn(spool)) {
    const id = spoolIdIn(folder);
    if (id === undefined || (id !== unreadable && !(await isKnown(id)))) continue;
    for (const path of folder === spool ? filesIn(spool) : [folder]) {
      if (path === missedSince) continue;
      mkdirSync(copied, { recursive: true });
      renameSync(path, join(copied, relative(spool, path)));
    }
  }
  syncFolder(dirname(spool));
  rmSync(node, { force: true });
  return existsSync(copied) ? copied : undefined;
}

/** The folder of a node's spool, and those in it of redirect workers and of starts without PostgreSQL. */
function spoolsIn(spool: string): string[] {
  if (!existsSync(spool)) return [];
  const inner = readdirSync(spool, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [spool, ...inner.map(({ name }) => join(spool, name))];
}

const unreadable = "unreadable";

/** Undefined for a spool without clicks. */
function spoolIdIn(folder: string): string | undefined {
  try {
    return viewSpool(folder)?.id;
  } catch {
    return unreadable;
  }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return entries.map(({ name }) => join(folder, name));
}
