/**
 * The spool: the durable log of clicks between the redirect and the readers that store and count them. This page is the
 * reference of its invariants. See spool-format.ts for the byte layout, spool-reader.ts for reading and
 * spool-recovery.ts for opening.
 *
 * Invariants
 *  1. Clicks are only appended, by the one process that holds the lock of the spool.
 *  2. A position is the number of bytes since the spool began. It never decreases, also across segments and restarts.
 *     Positions may jump forward between two segments, and nowhere else.
 *  3. A frame carries the clicks of one tick of the event loop. One write stores it before any answer of that tick is
 *     sent. Therefore a killed process loses no answered click, and a torn frame holds no answered click.
 *  4. fdatasync follows within syncIntervalMs, so power loss costs at most the clicks of that time. A reader syncs a
 *     segment before it returns frames, so no cursor is ever beyond the bytes that survive.
 *  5. Each reader keeps its cursor in the transaction of its effects, so it applies each frame once.
 *  6. A segment is deleted when every reader has acknowledged all of it. The newest segment is replaced first: a new
 *     one continues its id and position when it is full or its first click is segmentAgeMaxMs old. So an instance with
 *     few visitors does not keep their clicks for long. Only a full disk makes the spool delete the newest segment
 *     without a successor.
 *  7. Opening cuts a torn write behind the last whole frame of the newest segment. It removes that segment when power
 *     loss has left no header, or zeros, and no frames: synced clicks always have a header. All other bytes that form
 *     no whole frame are damage, which readers skip and report (spool-damage.ts). A newest segment that ends in damage,
 *     or that another version wrote, gets a successor at once.
 *  8. Beyond spoolBytesMax, and while disk writes fail, clicks are dropped and counted as dropped. No visitor waits.
 */

import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/message-of.ts";
import { hourMs } from "../base/time.ts";
import type { CapturedClick } from "./click.ts";
import { FrameEncoder, type SegmentProgress } from "./frame-encoder.ts";
import { currentVersion, encodeSegmentHeader, segmentFileName, segmentHeaderBytes } from "./spool-format.ts";
import { type Recovered, recover } from "./spool-recovery.ts";

/** The most clicks of one frame: a tick with more clicks writes several frames. */
export const tickClicksMax = 4_096;
const defaultSegmentBytesMax = 64 * 1024 ** 2;
/** How long a click stays in a segment that does not fill up. The readers apply it within a second. */
const defaultSegmentAgeMaxMs = hourMs;
/** The fewest segments of a full spool: only whole segments are deleted to make room. */
const segmentsAtLeast = 4;

/** The file operations of a spool, as a parameter, so that a test can simulate disk faults. */
export type SpoolFiles = Pick<
  typeof nodeFiles,
  "openSync" | "writeSync" | "ftruncateSync" | "closeSync" | "fdatasync" | "fdatasyncSync" | "fsync"
>;

/** The folder and limits of a spool; sizes in bytes. */
export type SpoolOptions = {
  directory: string;
  syncIntervalMs: number;
  spoolBytesMax: number;
  segmentBytesMax?: number;
  segmentAgeMaxMs?: number;
  now?: () => number;
  /** The furthest cursor of all readers; appending starts there if the newest segment ends before it. */
  furthestCursor?: number;
  files?: SpoolFiles;
};

/** The number of dropped clicks, and the reason of the last one. */
type Dropped = { readonly clicks: number; readonly reason: string };

/** The writing end of the spool. Invariants: see the top of this file. */
export type Spool = {
  /** 32 hex digits, created with the folder; identifies this log in every cursor. */
  readonly id: string;
  /** The state of the folder when it was opened. */
  readonly recovered: Recovered;
  /** Appends a click; it is written at the end of the tick. */
  append(click: CapturedClick): void;
  /**
   * Calls `done` when the clicks of this tick are written: the moment to answer their visitors.
   * Guarantee: a click that was not dropped by then survives a crash of the process, and after syncIntervalMs power
   * loss.
   */
  afterTick(done: () => void): void;
  /** The position behind the last written click. */
  end(): number;
  /** Bytes in all segments. */
  bytes(): number;
  /** Clicks written since the spool was opened. */
  written(): number;
  /** Clicks dropped since the spool was opened. */
  dropped(): Dropped;
  /**
   * True if truncating at `position` would free disk space or let a full disk accept clicks again. Only then do the
   * cursors have to be made durable first.
   */
  canTruncate(position: number): boolean;
  /**
   * Deletes the segments that end at or before `position`, the slowest cursor of all readers. The caller makes sure
   * that power loss cannot set a cursor back behind it.
   */
  truncate(position: number): void;
  /** Writes and syncs pending clicks; later clicks are dropped. */
  close(): void;
};

/**
 * Opens the spool in `directory`, creating it if absent. `recovered` is the result of `recover` if the caller has it.
 * Throws SpoolCorrupt for a segment of another spool.
 */
export function openSpool(options: SpoolOptions, recovered?: Recovered): Spool {
  nodeFiles.mkdirSync(options.directory, { recursive: true });
  return new SegmentedSpool(options, recovered ?? recover(options.directory));
}

class SegmentedSpool implements Spool {
  readonly id: string;
  readonly recovered: Recovered;
  readonly #options: SpoolOptions;
  readonly #files: SpoolFiles;
  readonly #segmentBytesMax: number;
  readonly #segmentAgeMaxMs: number;
  readonly #now: () => number;
  readonly #encoder = new FrameEncoder();
  /** Ascending; the last one is the open segment, if #file is set. */
  #bases: number[];
  #file: number | undefined;
  #end: number;
  /** The time of the newest segment's first click; undefined while it has none. */
  #firstClickAt: number | undefined;
  /** True while the file may have bytes behind #end: they are cut before the next write. */
  #isTorn: boolean;
  /** True while disk writes fail. */
  #isRefused = false;
  /** All readers have acknowledged the clicks before this position. */
  #acknowledged = 0;
  #isUnsynced = false;
  #isSyncing = false;
  /** State of the sync before a segment is closed. */
  #rollSync: "no" | "syncing" | "synced" = "no";
  #isClosed = false;
  /** The shared values written to the open segment. */
  #values: SegmentProgress;
  #pending: CapturedClick[] = [];
  #tickCallbacks: (() => void)[] = [];
  #isTickEndScheduled = false;
  #written = 0;
  #dropped: Dropped = { clicks: 0, reason: "" };
  readonly #syncTimer: Timer;

  constructor(options: SpoolOptions, recovered: Recovered) {
    this.id = recovered.id;
    this.#options = options;
    this.#files = options.files ?? nodeFiles;
    this.#segmentBytesMax = Math.min(
      options.segmentBytesMax ?? defaultSegmentBytesMax,
      Math.ceil(options.spoolBytesMax / segmentsAtLeast),
    );
    this.#segmentAgeMaxMs = options.segmentAgeMaxMs ?? defaultSegmentAgeMaxMs;
    this.#now = options.now ?? Date.now;
    this.recovered = recovered;
    this.#bases = recovered.bases;
    this.#end = recovered.end;
    this.#isTorn = recovered.tornBytes > 0;
    this.#values = { values: recovered.values, bytes: 0 };
    const newest = this.#bases.at(-1);
    if (newest !== undefined && newest < this.#end) this.#firstClickAt = recovered.writtenAt;
    if (newest !== undefined && !recovered.isSealed) {
      this.#file = this.#files.openSync(this.#path(newest), "r+");
      this.#values.bytes = this.#end - newest;
    }
    // After a restore from a backup, readers may be ahead of the spool: new clicks are appended behind their cursors.
    const furthestCursor = options.furthestCursor ?? 0;
    if (this.#isTorn) this.#cutTornTail();
    if (furthestCursor > this.#end) {
      this.#closeSegment();
      this.#end = furthestCursor;
    }
    // Created now, so that the spool keeps its id even if no click ever comes.
    if (this.#file === undefined) this.#openSegment();
    this.#syncTimer = setInterval(() => this.#sync(), options.syncIntervalMs);
    this.#syncTimer.unref();
  }

  append(click: CapturedClick): void {
    this.#pending.push(click);
    if (this.#pending.length >= tickClicksMax) this.#flush();
    else this.#scheduleTickEnd();
  }

  afterTick(done: () => void): void {
    this.#tickCallbacks.push(done);
    this.#scheduleTickEnd();
  }

  end(): number {
    return this.#end;
  }

  bytes(): number {
    return this.#end - (this.#bases[0] ?? this.#end);
  }

  written(): number {
    return this.#written;
  }

  dropped(): Dropped {
    return this.#dropped;
  }

  canTruncate(position: number): boolean {
    const next = this.#bases[1];
    if (next !== undefined && next <= position) return true;
    return (this.#isRefused && position > this.#acknowledged) || this.#canRollNow(position);
  }

  truncate(position: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, position);
    if (this.#canRollNow(position)) this.#rollNow();
    for (let next = this.#bases[1]; next !== undefined && next <= position; next = this.#bases[1]) {
      nodeFiles.rmSync(this.#path(this.#bases[0] ?? next), { force: true });
      this.#bases.shift();
    }
  }

  close(): void {
    this.#endTick();
    this.#isClosed = true;
    clearInterval(this.#syncTimer);
    this.#closeSegment();
  }

  #scheduleTickEnd(): void {
    if (this.#isTickEndScheduled) return;
    this.#isTickEndScheduled = true;
    setImmediate(this.#endTick);
  }

  readonly #endTick = (): void => {
    this.#isTickEndScheduled = false;
    this.#flush();
    const tickCallbacks = this.#tickCallbacks;
    this.#tickCallbacks = [];
    for (const done of tickCallbacks) done();
  };

  #flush(): void {
    if (this.#pending.length === 0) return;
    const clicks = this.#pending;
    this.#pending = [];
    this.#write(clicks);
  }

  #write(clicks: CapturedClick[]): void {
    if (this.#isClosed || this.bytes() >= this.#options.spoolBytesMax) {
      this.#drop(clicks, this.#isClosed ? "the spool is closed" : "the spool is full");
      return;
    }
    try {
      if (this.#isTorn) this.#cutTornTail();
      if (this.#isRefused && this.#acknowledged >= this.#end) this.#deleteAllSegments();
      if (this.#segmentBytes() >= this.#segmentBytesMax || this.#isOld()) this.#rollSegment();
      const file = this.#file ?? this.#openSegment();
      this.#end += this.#writeFrame(file, clicks);
      this.#isUnsynced = true;
      this.#isRefused = false;
      this.#firstClickAt ??= this.#now();
      this.#written += clicks.length;
    } catch (error) {
      this.#isRefused = true;
      this.#drop(clicks, messageOf(error));
    }
  }

  /** Returns the bytes written. */
  #writeFrame(file: number, clicks: CapturedClick[]): number {
    const { values, bytes } = this.#values;
    try {
      const frame = this.#encoder.encode(clicks, this.#values);
      this.#isTorn = true;
      this.#writeAll(file, frame, this.#offset(this.#end));
      this.#isTorn = false;
      return frame.length;
    } catch (error) {
      // The frame's values are not in the segment: the next frame that uses them must write them again.
      this.#values = { values, bytes };
      throw error;
    }
  }

  #writeAll(file: number, bytes: Buffer, offset: number): void {
    for (let done = 0; done < bytes.length; ) {
      const written = this.#files.writeSync(file, bytes, done, bytes.length - done, offset + done);
      if (written === 0) throw new Error("The disk takes no more bytes.");
      done += written;
    }
  }

  #drop({ length }: CapturedClick[], reason: string): void {
    this.#dropped = { clicks: this.#dropped.clicks + length, reason };
  }

  #cutTornTail(): void {
    if (this.#file !== undefined) this.#files.ftruncateSync(this.#file, this.#offset(this.#end));
    this.#isTorn = false;
  }

  /**
   * Deletes every segment, which all readers have acknowledged: on a full disk this may free the missing space. After a
   * crash before the next segment is created, the spool begins with another id, in which no reader has a cursor.
   */
  #deleteAllSegments(): void {
    if (this.#file !== undefined) this.#files.closeSync(this.#file);
    this.#file = undefined;
    for (const base of this.#bases) nodeFiles.rmSync(this.#path(base), { force: true });
    this.#bases = [];
  }

  #openSegment(): number {
    const base = this.#end;
    const file = this.#files.openSync(this.#path(base), "w+");
    try {
      this.#writeAll(file, encodeSegmentHeader({ spoolId: this.id, base, version: currentVersion }), 0);
      this.#syncDirectory();
    } catch (error) {
      // On a full disk. If the file cannot be removed now, the next opening removes it.
      this.#files.closeSync(file);
      nodeFiles.rmSync(this.#path(base), { force: true });
      throw error;
    }
    if (this.#bases.at(-1) !== base) this.#bases.push(base);
    this.#file = file;
    this.#values = { values: 0, bytes: 0 };
    this.#firstClickAt = undefined;
    return file;
  }

  #isOld(): boolean {
    return this.#firstClickAt !== undefined && this.#now() - this.#firstClickAt >= this.#segmentAgeMaxMs;
  }

  /** True if the newest segment is old, read to its end, and no operation on it is pending. */
  #canRollNow(position: number): boolean {
    if (this.#isClosed || this.#isTorn || this.#isSyncing || this.#rollSync === "syncing") return false;
    return position >= this.#end && this.#isOld();
  }

  /** Begins the next segment without waiting for a click. The readers have synced the segment that this closes. */
  #rollNow(): void {
    this.#rollSync = "no";
    this.#closeSegment();
    this.#isUnsynced = false;
    this.#openSegment();
  }

  #closeSegment(): void {
    if (this.#file === undefined) return;
    this.#files.fdatasyncSync(this.#file);
    this.#files.closeSync(this.#file);
    this.#file = undefined;
  }

  /**
   * Closes the segment after a sync in the background, so that little is left to sync and no visitor waits long for the
   * disk. Until then the segment grows beyond its limit.
   */
  #rollSegment(): void {
    if (this.#file === undefined || this.#rollSync === "syncing") return;
    if (this.#rollSync === "synced") {
      this.#rollSync = "no";
      this.#closeSegment();
      return;
    }
    this.#rollSync = "syncing";
    this.#files.fdatasync(this.#file, (error) => {
      this.#rollSync = error === null ? "synced" : "no";
    });
  }

  /** Makes a new segment's directory entry survive power loss, in the background. */
  #syncDirectory(): void {
    const directory = this.#files.openSync(this.#options.directory, "r");
    this.#files.fsync(directory, () => this.#files.closeSync(directory));
  }

  #sync(): void {
    if (!this.#isUnsynced || this.#isSyncing || this.#file === undefined) return;
    this.#isUnsynced = false;
    this.#isSyncing = true;
    this.#files.fdatasync(this.#file, (error) => {
      this.#isSyncing = false;
      // Retried at the next interval. A segment closed since then was synced when it was closed.
      if (error !== null) this.#isUnsynced = this.#file !== undefined;
    });
  }

  #segmentBytes(): number {
    return this.#file === undefined ? 0 : this.#end - (this.#bases.at(-1) ?? this.#end);
  }

  #offset(position: number): number {
    return segmentHeaderBytes + position - (this.#bases.at(-1) ?? position);
  }

  #path(base: number): string {
    return join(this.#options.directory, segmentFileName(base));
  }
}
