import { existsSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { newId } from "../base/ids.ts";
import { readOrCreateTextFile } from "../base/text-file.ts";

/** The prefix of ids of nodes. */
const prefix = "node_";

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

/**
 * Makes a new node of a copied data folder: it gets another id, and the copied spool is set aside, because its clicks are
 * those of the other node, which stores them. Returns the path of the copied spool, if there is one.
 */
export function becomeNewNode({ node, spool }: { node: string; spool: string }): string | undefined {
  rmSync(node, { force: true });
  if (!existsSync(spool)) return undefined;
  const copied = `${dirname(spool)}/spool.copied-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  renameSync(spool, copied);
  return copied;
}
