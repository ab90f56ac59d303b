/**
 * The spool: the durable log of clicks between the redirect and everything that counts them. This page is the
 * reference of its invariants; spool-format.ts has the byte layout, spool-reader.ts the reading, spool-recovery.ts the
 * opening.
 *
 * Invariants
 *  1. Clicks are only ever appended, by the one process that holds the data folder's lock.
 *  2. A position is a number of bytes since the spool began; it never shrinks, also across segments and restarts.
 *     Positions may jump forward at the border of two segments, and nowhere else.
 *  3. A frame carries the clicks of one turn of the event loop. It is written with one write before any answer of
 *     that turn goes out. So a kill of the process loses no answered click, and a torn frame holds no answered one.
 *  4. fdatasync follows within syncIntervalMs: that is what power loss can cost. A reader syncs what it reads before
 *     it passes it on, so that no reader's cursor is ever beyond what survives.
 *  5. Each reader keeps its cursor in the same transaction as its effects: a frame is applied once to each of them.
 *  6. A segment is deleted when every reader has passed its end. The newest one gets a successor first, which carries on
 *     its id and position, when it is full or its first click is segmentAgeMaxMs old: so that an instance with few
 *     visitors does not keep what they sent. Only to make room on a full disk it is deleted without one.
 *  7. Opening cuts a torn write behind the last whole frame of the newest segment, and removes that segment when power
 *     loss has left no header, or zeros, and no frames: what was synced has one. All other bytes that are no whole frame
 *     are damage: readers pass over them and report them (spool-damage.ts). A newest segment that ends in damage, or
 *     that another version wrote, gets a successor at once.
 *  8. Beyond spoolBytesMax, and while the disk refuses, clicks are dropped and counted as dropped; nobody waits.
 */
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { hourMs } from "../base/time.ts";
import type { CapturedClick } from "./click.ts";
import { FrameEncoder, type SegmentProgress } from "./frame-encoder.ts";
import { currentVersion, encodeSegmentHeader, segmentFileName, segmentHeaderBytes } from "./spool-format.ts";
import { type Recovered, recover } from "./spool-recovery.ts";

/** Clicks of one turn written at the latest when there are so many, so that a turn's frame stays small. */
export const tickClicksMax = 4_096;
const defaultSegmentBytesMax = 64 * 1024 ** 2;
/** So long a click stays in a segment that does not fill; the readers take it out within the second. */
const defaultSegmentAgeMaxMs = hourMs;
/** A full spool consists of so many segments at least: only whole ones are deleted, and so make room. */
const segmentsAtLeast = 4;

/** The file operations a spool does; a parameter, so that a test can break the disk. */
export type SpoolFiles = Pick<
  typeof nodeFiles,
  "openSync" | "writeSync" | "ftruncateSync" | "closeSync" | "fdatasync" | "fdatasyncSync" | "fsync"
>;

/** Where the spool lies and what it may take; sizes in bytes. */
export type SpoolOptions = {
  directory: string;
  syncIntervalMs: number;
  spoolBytesMax: number;
  segmentBytesMax?: number;
  segmentAgeMaxMs?: number;
  now?: () => number;
  /** The furthest cursor of all readers; appending goes on from there even if the newest segment ends before. */
  furthestCursor?: number;
  files?: SpoolFiles;
};

/** How many clicks were dropped, and the reason of the last one. */
type Dropped = { readonly clicks: number; readonly reason: string };

/** The writing end of the spool. Invariants: see the top of this file. */
export type Spool = {
  /** 32 hex digits, made with the folder; names this log in every cursor. */
  readonly id: string;
  /** What opening found in the folder. */
  readonly recovered: Recovered;
  /** Appends a click, which is written when the turn of the event loop ends. */
  append(click: CapturedClick): void;
  /**
   * Calls `done` when the clicks of this turn are written: the moment to answer their visitors.
   * Guarantee: a click that was not dropped by then survives a crash of the process, and power loss after syncIntervalMs.
   */
  afterTick(done: () => void): void;
  /** The position behind the last written click. */
  end(): number;
  /** Bytes held for readers. */
  bytes(): number;
  /** Clicks written since the start. */
  written(): number;
  /** Clicks dropped since the start. */
  dropped(): Dropped;
  /** Whether a release would make room, now or for a disk that refuses: only then need the cursors be made durable. */
  canTruncate(position: number): boolean;
  /**
   * Deletes the segments that end at or before `position`, the least cursor of all readers. Power loss must not be able
   * to set any of them back behind it.
   */
  truncate(position: number): void;
  /** Writes and syncs what is pending; append drops afterwards. */
  close(): void;
};

/**
 * Opens the spool in `directory`, made when absent, with what recover has just found there.
 * Throws SpoolCorrupt for a segment that does not belong there.
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
  /** Ascending; the last one is the segment being written, when #file is open. */
  #bases: number[];
  #file: number | undefined;
  #end: number;
  /** When the newest segment got its first click; undefined while it has none. */
  #firstClickAt: number | undefined;
  /** Set while bytes behind #end may lie in the file: they are cut before anything else is written. */
  #isTorn: boolean;
  /** Set while the disk refuses to write. */
  #isRefused = false;
  /** What lies before is of no use to any reader. */
  #acknowledged = 0;
  #isUnsynced = false;
  #isSyncing = false;
  /** How far the sync is that comes before the segment is left. */
  #rollSync: "no" | "syncing" | "synced" = "no";
  #isClosed = false;
  /** What the segment being written has of shared values. */
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
    // Restored from a backup, the readers may know more than the spool: what is appended now must lie ahead of them.
    const furthestCursor = options.furthestCursor ?? 0;
    if (this.#isTorn) this.#cutTornTail();
    if (furthestCursor > this.#end) {
      this.#closeSegment();
      this.#end = furthestCursor;
    }
    // Made at once, so that the spool keeps its id from here on, whether or not a click ever comes.
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
      this.#drop(clicks, error instanceof Error ? error.message : String(error));
    }
  }

  /** Returns how many bytes it took. */
  #writeFrame(file: number, clicks: CapturedClick[]): number {
    const { values, bytes } = this.#values;
    try {
      const frame = this.#encoder.encode(clicks, this.#values);
      this.#isTorn = true;
      this.#writeAll(file, frame, this.#offset(this.#end));
      this.#isTorn = false;
      return frame.length;
    } catch (error) {
      // What the frame brought along is not in the segment: the next one to share it must bring it again.
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
   * Deletes every segment, since all readers have passed them: on a full disk this may be the room that is missing.
   * A crash before the next segment is made begins a spool of another id, which no reader has a cursor in.
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
      // A full disk: the file is of no use, and opening cleans up what cannot be removed now.
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

  /** Whether the newest segment is old and read to its end, and nothing is being done to it. */
  #canRollNow(position: number): boolean {
    if (this.#isClosed || this.#isTorn || this.#isSyncing || this.#rollSync === "syncing") return false;
    return position >= this.#end && this.#isOld();
  }

  /** Begins the next segment at once, though no click asks for it. The readers have synced what it closes. */
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
   * Closes the segment when a sync in the background has left little to sync: no visitor waits long for the disk at the
   * border of two segments. Until then the segment grows beyond its bound.
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
      // Tried again at the next tick; a segment that was closed meanwhile was synced by its closing.
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
