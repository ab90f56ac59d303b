import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckResult } from "../admin/check-result.ts";
import { messageOf } from "../base/message-of.ts";
import {
  decodeSegmentHeader,
  isReadable,
  type SegmentHeader,
  segmentBases,
  segmentFileName,
  segmentHeaderBytes,
} from "../clicks/spool-format.ts";
import { hasHeader, measureSegment } from "../clicks/spool-recovery.ts";
import type { Config } from "../config.ts";
import { type PerReader, readerNames } from "../spools/cursors.ts";
import { spoolReaders } from "../spools/readers.ts";
import { spoolFolders } from "../spools/spool-folders.ts";
import { formatCount } from "./format-count.ts";

type SpoolContents = { segments: number; clicks: number };

const check = "spool";

/**
 * Checks all spools, including those of redirect workers. Most of their clicks are read and wait for the deletion of
 * their segment; only the running server knows how many are unread.
 */
export function checkSpools(config: Config, lag: PerReader | undefined): CheckResult {
  const folders = spoolFolders(config);
  if (folders.length === 0) return { check, ok: true, detail: "will be created at the first start" };
  const sum: SpoolContents = { segments: 0, clicks: 0 };
  for (const folder of folders) {
    const found = readSpoolFolder(folder);
    if (typeof found === "string") return { check, ok: false, detail: `${folder}: ${found}` };
    sum.segments += found.segments;
    sum.clicks += found.clicks;
  }
  const spools = folders.length === 1 ? "" : `${folders.length} spools, `;
  return {
    check,
    ok: true,
    detail: `${spools}${formatCount(sum.segments, "segment")}, ${formatCount(sum.clicks, "click")} held; ${lagText(lag)}`,
  };
}

function lagText(lag: PerReader | undefined): string {
  if (lag === undefined) return "unread clicks will be read at the next start";
  const rows = readerNames.map((name) => ({ effect: spoolReaders[name].effect, bytes: lag[name] }));
  if (rows.every(({ bytes }) => bytes === 0)) return `all clicks are ${rows.map(({ effect }) => effect).join(" and ")}`;
  return rows.map(({ effect, bytes }) => `${formatCount(bytes, "byte")} not ${effect} yet`).join(", ");
}

/** Returns the contents of a spool, or a description of its damage. */
function readSpoolFolder(folder: string): SpoolContents | string {
  const bases = segmentBases(readdirSync(folder));
  let clicks = 0;
  for (const [index, base] of bases.entries()) {
    const path = join(folder, segmentFileName(base));
    const isNewest = index === bases.length - 1;
    if (isNewest && !hasHeader(path)) continue;
    const header = headerOf(path, base);
    if (typeof header === "string") return header;
    // The version that wrote the segment has read it, or the server would not start.
    if (!isReadable(header.version)) continue;
    const { gapBytes, framesEnd, size, tail, clicks: held } = measureSegment(path);
    clicks += held;
    const damagedBytes = gapBytes + (tail === "damaged" || !isNewest ? size - framesEnd : 0);
    if (damagedBytes > 0) {
      return `${segmentFileName(base)} has ${damagedBytes} damaged bytes, which readers skip; check the disk`;
    }
  }
  return { segments: bases.length, clicks };
}

function headerOf(path: string, base: number): SegmentHeader | string {
  try {
    return decodeSegmentHeader(readFileSync(path).subarray(0, segmentHeaderBytes), segmentFileName(base));
  } catch (error) {
    return messageOf(error);
  }
}
