import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createFileOnce } from "../base/create-file-once.ts";
import { isMissing } from "../base/is-missing.ts";
import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";

const seriesBytes = 4;

/**
 * Returns the name of the series of backups of this data folder, which the first call chooses. It is a file that no
 * backup contains: a restored copy, which may run beside the original, writes and prunes a separate series.
 * Throws "unavailable" for a damaged file.
 */
export function backupSeries(config: Pick<Config, "WAYPOST_DATA">): string {
  const path = dataPaths(config).backupSeries;
  const stored = readSeries(path);
  if (stored !== undefined) return stored;
  createFileOnce(path, `${randomBytes(seriesBytes).toString("hex")}\n`);
  const created = readSeries(path);
  if (created === undefined) throw new Error(`${path} was removed while a backup began.`);
  return created;
}

/** Returns undefined when there is no file. */
function readSeries(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (/^[0-9a-f]{8}$/.test(text)) return text;
  throw new Problem("unavailable", `${path} names no series. Delete it; the next backup begins a new series.`);
}
