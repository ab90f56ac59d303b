/**
 * Watches the disk space for clicks and warns early. While space is short, long new texts of visitors are not written
 * (clicks/text-budget.ts), so that a click takes a few dozen bytes. All clicks still count.
 */
import { fileBytes, freeBytesMin, freeDiskBytes } from "./base/disk-space.ts";
import type { Log } from "./base/log.ts";
import { hourMs } from "./base/time.ts";
import type { TextBudget } from "./clicks/text-budget.ts";
import type { Config } from "./config.ts";
import { dataPaths } from "./data-paths.ts";

/** Free bytes below which space is low; below freeBytesMin it is short. */
const freeBytesLow = 1024 ** 3;
/** The share of WAYPOST_STORE_MAX_BYTES from which space is low. */
const lowShare = 0.8;
/** How often the log repeats that space is low or short. */
const logEveryMs = hourMs;

/** Free bytes on the disk of the data folder, and bytes of stored clicks. */
type DiskReading = { freeBytes: number; storeBytes: number };
/** Ample; low: the operator should act; short: new long texts are not written. */
type DiskSpace = "ample" | "low" | "short";

/** Classifies the disk space; `storeBytesMax` is 0 for no limit. */
export function diskSpaceOf({ freeBytes, storeBytes }: DiskReading, storeBytesMax: number): DiskSpace {
  const isLimited = storeBytesMax > 0;
  if (freeBytes < freeBytesMin || (isLimited && storeBytes >= storeBytesMax)) return "short";
  return freeBytes < freeBytesLow || (isLimited && storeBytes >= storeBytesMax * lowShare) ? "low" : "ample";
}

/** Reads the sizes. Throws when the disk cannot be read. */
export async function readDisk(config: Pick<Config, "WAYPOST_DATA">): Promise<DiskReading> {
  const { data, clicks } = dataPaths(config);
  return { freeBytes: await freeDiskBytes(data), storeBytes: fileBytes(clicks) + fileBytes(`${clicks}.wal`) };
}

type DiskWatchDeps = {
  config: Pick<Config, "WAYPOST_DATA" | "WAYPOST_STORE_MAX_BYTES">;
  texts: Pick<TextBudget, "isDiskShort">;
  log: Log;
  now: () => number;
};

/** Checks the disk when `check` is called. */
export class DiskWatch {
  readonly #deps: DiskWatchDeps;
  #space: DiskSpace = "ample";
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DiskWatchDeps) {
    this.#deps = deps;
  }

  /** Reads the sizes, updates the text budget, and logs each change at once and a lack of space once an hour. */
  async check(): Promise<DiskReading> {
    const { config, texts, log, now } = this.#deps;
    const reading = await readDisk(config);
    const storeBytesMax = config.WAYPOST_STORE_MAX_BYTES;
    const space = diskSpaceOf(reading, storeBytesMax);
    texts.isDiskShort = space === "short";
    const isDue = space !== "ample" && now() - this.#loggedAt >= logEveryMs;
    if (space !== this.#space || isDue) {
      log[space === "ample" ? "info" : "warn"](messages[space], { ...reading, storeBytesMax });
      this.#loggedAt = now();
    }
    this.#space = space;
    return reading;
  }
}

const messages: Record<DiskSpace, string> = {
  ample: "There is room for clicks again.",
  low: "The room for clicks is low: free the disk, or raise WAYPOST_STORE_MAX_BYTES.",
  short: "The room for clicks is short: clicks are counted, but long texts of visitors are cut.",
};
