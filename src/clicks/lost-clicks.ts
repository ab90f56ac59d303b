/**
 * The record of lost clicks: a small file in each spool's folder, which outlives the process.
 *
 * 1. The file has a fixed length and is written in place, so that it can be written on a full disk.
 * 2. A record that the disk refuses stays in memory until the next save.
 * 3. One process adds to a record: the process that holds the spool's lock, or the main process. Writing an empty
 *    record accepts the loss, at any time: the next save begins at 0.
 */
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Loss = z.object({ clicks: z.number(), since: z.number(), last: z.number(), reason: z.string() });
const LostClicks = z.object({ dropped: Loss.nullable(), damaged: Loss.nullable() });

/** Lost clicks, with the times of the first and the last loss in milliseconds and the reason of the last. */
type Loss = z.output<typeof Loss>;

/** Clicks that the spool dropped, and the most clicks that damaged bytes may have held; null for none. */
export type LostClicks = z.output<typeof LostClicks>;

/** The file of a record of lost clicks, in the folder of its spool. */
export const lostClicksFile = "lost-clicks.json";
const recordBytes = 1_024;
/** Characters kept of a reason: enough for all messages of the system, and few enough for the record's length. */
const reasonMax = 150;
const noLosses: LostClicks = { dropped: null, damaged: null };

/** Counts lost clicks of one spool's folder, or of several. See the top of this file. */
export class LossRecord {
  readonly #path: string;
  #unsaved: LostClicks = noLosses;

  /** Creates the file, so that its blocks are reserved before the disk is full. */
  constructor(directory: string) {
    this.#path = join(directory, lostClicksFile);
    if (!existsSync(this.#path)) this.#write(noLosses);
  }

  /** Adds lost clicks to the record. Call `save` soon. */
  count(kind: keyof LostClicks, { clicks, reason }: Pick<Loss, "clicks" | "reason">, now: number): void {
    const loss = { clicks, since: now, last: now, reason: reason.slice(0, reasonMax) };
    this.#unsaved = mergeLosses(this.#unsaved, { ...noLosses, [kind]: loss });
  }

  /** Adds the losses of another record. */
  add(losses: LostClicks): void {
    this.#unsaved = mergeLosses(this.#unsaved, losses);
  }

  /** Writes unsaved losses; retried with the next call when the disk refuses. */
  save(): void {
    if (this.#unsaved.dropped === null && this.#unsaved.damaged === null) return;
    if (this.#write(mergeLosses(readFile(this.#path), this.#unsaved))) this.#unsaved = noLosses;
  }

  #write(losses: LostClicks): boolean {
    try {
      writeRecord(this.#path, losses);
      return true;
    } catch {
      // A disk that refuses clicks may refuse this too; see 2 above.
      return false;
    }
  }
}

/** Reads the lost clicks recorded in a spool's folder. */
export function readLosses(directory: string): LostClicks {
  return readFile(join(directory, lostClicksFile));
}

/** Resets the record in a spool's folder, because the operator accepts the loss. Throws the disk's error. */
export function acceptLosses(directory: string): void {
  const path = join(directory, lostClicksFile);
  if (existsSync(path)) writeRecord(path, noLosses);
}

function writeRecord(path: string, losses: LostClicks): void {
  const file = openSync(path, existsSync(path) ? "r+" : "w", 0o600);
  try {
    const text = JSON.stringify(losses).padEnd(recordBytes - 1);
    writeSync(file, `${text}\n`, 0);
    ftruncateSync(file, Buffer.byteLength(text) + 1);
  } finally {
    closeSync(file);
  }
}

/** Adds two records. */
export function mergeLosses(one: LostClicks, other: LostClicks): LostClicks {
  return { dropped: sum(one.dropped, other.dropped), damaged: sum(one.damaged, other.damaged) };
}

function sum(one: Loss | null, other: Loss | null): Loss | null {
  if (one === null || other === null) return one ?? other;
  const { last, reason } = one.last > other.last ? one : other;
  return { clicks: one.clicks + other.clicks, since: Math.min(one.since, other.since), last, reason };
}

function readFile(path: string): LostClicks {
  try {
    return LostClicks.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // The file is absent or damaged; a damaged record is lost.
    return noLosses;
  }
}
