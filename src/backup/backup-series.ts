import { randomBytes } from "node:crypto";
import { Problem } from "../base/problem.ts";
import { readOrCreateTextFile } from "../base/text-file.ts";
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
  const text = readOrCreateTextFile(path, () => randomBytes(seriesBytes).toString("hex"));
  if (/^[0-9a-f]{8}$/.test(text)) return text;
  throw new Problem("unavailable", `${path} names no series. Delete it; the next backup begins a new series.`);
}
