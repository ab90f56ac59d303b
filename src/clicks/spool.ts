/**
 * The spool: the durable log of clicks between the redirect and the readers that store and count them. This list of
 * invariants is the authoritative one. See spool-format.ts for the byte layout, spool-reader.ts for reading and
 * spool-recovery.ts for opening.
 *
 * Invariants
 *  1. Clicks are only appended, by the one process that holds the lock of the spool.
 *  2. A position is the number of bytes since the spool began. It never decreases, not even across segments and
 *     restarts. It may jump forward between two segments, but nowhere else.
 *  3. A frame carries clicks of one tick of the event loop. The process writes the frames of a tick before it sends any
 *     response of that tick. So a killed process loses no answered click (one whose visitor may have the response), and
 *     a torn frame holds none.
 *  4. fdatasync follows within syncIntervalMs, so a power loss costs at most the clicks of that interval. A reader
 *     syncs a segment before it returns frames, so no cursor points past the bytes that survive.
 *  5. Each reader stores its cursor in the transaction of its effects, so it applies each frame once.
 *  6. A segment is deleted when every reader has acknowledged all of it, except the newest one, which is closed first:
 *     when it is full, or its first click is segmentAgeMaxMs old, the next segment begins where it ends. So an instance
 *     with few visitors does not keep their clicks for long. Only on a full disk does the spool delete the newest
 *     segment before the next one exists.
 *  7. Opening cuts a torn write after the last whole frame of the newest segment. It removes that segment if its header
 *     is partial or zeros and no frame follows: a sync of clicks also covers the header, so the segment holds no synced
 *     click. All other bytes that form no whole frame are damage, which readers skip and report (spool-damage.ts). If
 *     the newest segment ends in damage, or another version wrote it, the next segment begins at once.
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

/** The maximum number of clicks in a frame; a tick with more clicks writes several frames. */
export const tickClicksMax = 4_096;
const defaultSegmentBytesMax = 64 * 1024 ** 2;
/** How long a click may stay in a segment that does not fill up. The readers apply it within a second. */
const defaultSegmentAgeMaxMs = hourMs;
/** The minimum number of segments in a full spool: only whole segments can be deleted to make room. */
const segmentsMin = 4;

/** The file operations of a spool: a parameter, so that a test can simulate disk faults. */
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

/** The number of dropped clicks, and the reason for the last drop. */
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
   * Guarantee: a click that was not dropped by then survives a crash of the process at once, and a power loss
   * syncIntervalMs later.
   */
  afterTick(done: () => void): void;
  /** The position after the last written click. */
  end(): number;
  /** Bytes in all segments. */
  bytes(): number;
  /** Clicks written since the spool was opened. */
  written(): number;
  /** Clicks dropped since the spool was opened. */
  dropped(): Dropped;
  /**
   * True if truncating at `position` would free disk space or let a full disk accept clicks again. Only then must the
   * caller make the cursors durable, before it truncates.
   */
  canTruncate(position: number): boolean;
  /**
   * Deletes the segments that end at or before `position`, the slowest cursor of all readers. The caller ensures that
   * no cursor falls back before `position` after a power loss.
   */
  truncate(position: number): void;
  /** Writes and syncs pending clicks; later clicks are dropped. */
  close(): void;
};

/**
 * Opens the spool in `directory`, creating it if absent. A caller that has called `recover` passes its result.
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
  /** The start positions of all segments, ascending; the last one is that of the open segment, if #file is set. */
  #bases: number[];
  #file: number | undefined;
  #end: number;
  /** The time of the newest segment's first click; undefined while it has none. */
  #firstClickAt: number | undefined;
  /** True while the file may have bytes after #end: they are cut before the next write. */
  #isTorn: boolean;
  /** True from a failed write until the next successful one. */
  #hasWriteFailed = false;
  /** All readers have acknowledged the clicks before this position. */
  #acknowledged = 0;
  #isUnsynced = false;
  #isSyncing = false;
  /** The state of the background sync that precedes closing a full or old segment. */
  #rollSync: "no" | "syncing" | "synced" = "no";
  #isClosed = false;
  /** The number of shared values and of bytes in the open segment; see frame-encoder.ts. */
  #progress: SegmentProgress;
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
      Math.ceil(options.spoolBytesMax / segmentsMin),
    );
    this.#segmentAgeMaxMs = options.segmentAgeMaxMs ?? defaultSegmentAgeMaxMs;
    this.#now = options.now ?? Date.now;
    this.recovered = recovered;
    this.#bases = recovered.bases;
    this.#end = recovered.end;
    this.#isTorn = recovered.tornBytes > 0;
    this.#progress = { values: recovered.values, bytes: 0 };
    const newest = this.#bases.at(-1);
    if (newest !== undefined && newest < this.#end) this.#firstClickAt = recovered.writtenAt;
    if (newest !== undefined && !recovered.isSealed) {
      this.#file = this.#files.openSync(this.#path(newest), "r+");
      this.#progress.bytes = this.#end - newest;
    }
    const furthestCursor = options.furthestCursor ?? 0;
    if (this.#isTorn) this.#cutTornTail();
    // After a restore from a backup, readers may be ahead of the spool: new clicks are appended after their cursors.
    if (furthestCursor > this.#end) {
      this.#closeSegment();
      this.#end = furthestCursor;
    }
    // Opened now, so that the spool keeps its id even if no click ever comes.
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
    return (this.#hasWriteFailed && position > this.#acknowledged) || this.#canRollNow(position);
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
      if (this.#hasWriteFailed && this.#acknowledged >= this.#end) this.#deleteAllSegments();
      if (this.#segmentBytes() >= this.#segmentBytesMax || this.#isOld()) this.#rollSegment();
      const file = this.#file ?? this.#openSegment();
      this.#end += this.#writeFrame(file, clicks);
      this.#isUnsynced = true;
      this.#hasWriteFailed = false;
      this.#firstClickAt ??= this.#now();
      this.#written += clicks.length;
    } catch (error) {
      this.#hasWriteFailed = true;
      this.#drop(clicks, messageOf(error));
    }
  }

  /** Returns the bytes written. */
  #writeFrame(file: number, clicks: CapturedClick[]): number {
    const { values, bytes } = this.#progress;
    try {
      const frame = this.#encoder.encode(clicks, this.#progress);
      this.#isTorn = true;
      this.#writeAll(file, frame, this.#offset(this.#end));
      this.#isTorn = false;
      return frame.length;
    } catch (error) {
      // The frame's values are not in the segment: the next frame that uses them must write them again.
      this.#progress = { values, bytes };
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
   * Deletes all segments, whose clicks every reader has acknowledged. On a full disk, this may free the space for the
   * next one. If the process crashes before the next one exists, the spool begins again with a new id, in which no
   * reader has a cursor.
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
      // The disk may be full. If the file cannot be removed now, the next opening removes it.
      this.#files.closeSync(file);
      nodeFiles.rmSync(this.#path(base), { force: true });
      throw error;
    }
    if (this.#bases.at(-1) !== base) this.#bases.push(base);
    this.#file = file;
    this.#progress = { values: 0, bytes: 0 };
    this.#firstClickAt = undefined;
    return file;
  }

  #isOld(): boolean {
    return this.#firstClickAt !== undefined && this.#now() - this.#firstClickAt >= this.#segmentAgeMaxMs;
  }

  /** True if the newest segment is old, every reader has read it to its end, and no operation on it is pending. */
  #canRollNow(position: number): boolean {
    if (this.#isClosed || this.#isTorn || this.#isSyncing || this.#rollSync === "syncing") return false;
    return position >= this.#end && this.#isOld();
  }

  /** Begins the next segment without waiting for a click. Closing is fast, since the readers have synced this one. */
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
   * Closes a full or old segment in two steps: a first call syncs it in the background, and a call after the sync
   * closes it. So little is left to sync on closing, and no visitor waits long for the disk. Until then the segment
   * grows beyond its limit.
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

  /** Syncs the folder in the background, so that the entry of a new segment survives a power loss. */
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
      // Retried at the next interval. A segment that was closed since then needs no sync: closing synced it.
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
