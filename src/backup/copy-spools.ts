import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { isMissing } from "../base/is-missing.ts";
import { lostClicksFile } from "../clicks/lost-clicks.ts";
import { segmentBases, segmentFileName } from "../clicks/spool-format.ts";
import { viewSpool } from "../clicks/spool-view.ts";
import type { Manifest } from "./archive-format.ts";
import { spoolName } from "./archive-format.ts";

type CopiedSpools = Pick<Manifest, "spools" | "files">;

/**
 * Links the segments of all spools into `into`, and returns the parts to archive: each segment up to its current length.
 * Takes milliseconds, and no space: the writer goes on in the same files. Copies them where the file system has no links.
 * The caller holds the segments.
 */
export function copySpools(folders: readonly string[], into: string): CopiedSpools {
  const copied: CopiedSpools = { spools: [], files: [] };
  const [own = ""] = folders;
  for (const from of folders) {
    const folder = relative(own, from);
    const view = viewSpool(from);
    mkdirSync(join(into, spoolName, folder), { recursive: true, mode: 0o700 });
    const names = [...segmentBases(readdirSync(from)).map(segmentFileName), lostClicksFile];
    for (const name of names.filter((each) => existsSync(join(from, each)))) {
      const bytes = linkOrCopy(join(from, name), join(into, spoolName, folder, name));
      if (bytes !== undefined) copied.files.push({ name: [spoolName, folder, name].filter(Boolean).join("/"), bytes });
    }
    if (view !== undefined) copied.spools.push({ folder, id: view.id, from: view.bases[0] ?? 0, to: view.end });
  }
  return copied;
}

/** Returns the bytes, or undefined for a segment that a redirect worker has just deleted, as it was told before. */
function linkOrCopy(from: string, to: string): number | undefined {
  try {
    // The record of losses is overwritten in its file; segments only grow.
    if (basename(from) === lostClicksFile) copyFileSync(from, to);
    else linkSync(from, to);
  } catch (error) {
    if (isMissing(error)) return undefined;
    copyFileSync(from, to);
  }
  return statSync(to).size;
}
