import { renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileLock } from "../base/file-lock.ts";
import type { Log } from "../base/log.ts";
import { secondMs } from "../base/time.ts";
import { type LossRecord, readLosses } from "../clicks/lost-clicks.ts";
import type { Spool } from "../clicks/spool.ts";
import { damagedCopies } from "../clicks/spool-damage.ts";
import { viewSpool } from "../clicks/spool-view.ts";
import type { Db } from "../database/database.ts";
import { recordAcknowledged } from "../links/counters.ts";
import { forEveryReader, type PerReader, slowestCursor } from "./cursors.ts";

/** How often a worker's acknowledged position is recorded while it deletes no segment: a full disk may wait for it. */
const recordEveryMs = 10 * secondMs;

/** The end of a spool, as a position, and its bytes on the disk. */
export type SpoolExtent = { id: string; end: number; bytes: number };

/** A spool with the cursors of its readers. */
export type TrackedSpool = {
  readonly directory: string;
  /**
   * The cursors of the readers as last seen; clicks before all of them may be deleted. A spool that replaces another
   * gets a new object: a reader takes it after calling `extent` and writes to the same one when its step ends.
   */
  readonly cursors: PerReader;
  /** Undefined while there is nothing to read. Throws SpoolCorrupt. */
  extent(): SpoolExtent | undefined;
  /** Deletes the segments that all readers have acknowledged. */
  truncate(): Promise<void>;
};

/** The tools of a tracked spool. */
type TrackedSpoolDeps = { db: Db; log: Log; now: () => number; losses: LossRecord };

/** A spool that this process writes. */
export class WrittenSpool implements TrackedSpool {
  readonly directory: string;
  readonly cursors: PerReader;
  readonly #spool: Spool;
  readonly #db: Db;

  constructor(directory: string, spool: Spool, cursors: PerReader, { db }: Pick<TrackedSpoolDeps, "db">) {
    this.directory = directory;
    this.cursors = cursors;
    this.#spool = spool;
    this.#db = db;
  }

  extent(): SpoolExtent {
    return { id: this.#spool.id, end: this.#spool.end(), bytes: this.#spool.bytes() };
  }

  async truncate(): Promise<void> {
    const position = slowestCursor(this.cursors);
    if (!this.#spool.canTruncate(position)) return;
    await recordAcknowledged(this.#db, this.#spool.id, position);
    this.#spool.truncate(position);
  }

  close(): void {
    this.#spool.close();
  }
}

/** The spool of a worker that no longer exists: nothing is appended, and the folder is removed when all is read. */
export class AdoptedSpool extends WrittenSpool {
  isRemoved = false;
  readonly #lock: FileLock;
  readonly #deps: TrackedSpoolDeps;

  constructor(
    spool: Spool,
    lock: FileLock,
    cursors: PerReader,
    { directory, deps }: { directory: string; deps: TrackedSpoolDeps },
  ) {
    super(directory, spool, cursors, deps);
    this.#lock = lock;
    this.#deps = deps;
  }

  override async truncate(): Promise<void> {
    if (this.isRemoved) return;
    const { id, end } = this.extent();
    const position = slowestCursor(this.cursors);
    if (position < end) return await super.truncate();
    // Recorded first, so that power loss cannot set the counters back behind deleted clicks.
    await recordAcknowledged(this.#deps.db, id, position);
    this.close();
    this.#keepLosses();
    rmSync(this.directory, { recursive: true, force: true });
    this.isRemoved = true;
    this.#deps.log.info("All clicks of a former spool are stored.", { directory: this.directory });
  }

  override close(): void {
    if (this.isRemoved) return;
    super.close();
    this.#lock.release();
  }

  /** Moves the folder's record of lost clicks to the main process's spool. */
  #keepLosses(): void {
    const { losses } = this.#deps;
    losses.add(readLosses(this.directory));
    losses.save();
    for (const name of damagedCopies(this.directory).names) {
      const copy = join(dirname(this.directory), `${basename(this.directory)}-${name}`);
      renameSync(join(this.directory, name), copy);
    }
  }
}

/**
 * The spool of a running worker, which deletes its segments itself: it reads the acknowledged position from the
 * database.
 */
export class WorkerSpool implements TrackedSpool {
  readonly directory: string;
  cursors = forEveryReader(0);
  readonly #db: Db;
  readonly #now: () => number;
  #id: string | undefined;
  #recorded = { position: 0, at: 0 };

  constructor(directory: string, { db, now }: Pick<TrackedSpoolDeps, "db" | "now">) {
    this.directory = directory;
    this.#db = db;
    this.#now = now;
  }

  extent(): SpoolExtent | undefined {
    return this.#view();
  }

  #view() {
    const view = viewSpool(this.directory);
    if (view === undefined) return undefined;
    // After a full disk a worker may have begun another spool: no reader has a cursor in it yet, as at a start.
    if (view.id !== this.#id) {
      this.#id = view.id;
      this.#recorded = { position: 0, at: 0 };
      this.cursors = forEveryReader(0);
    }
    return view;
  }

  async truncate(): Promise<void> {
    const view = this.#view();
    const position = slowestCursor(this.cursors);
    if (view === undefined || position <= this.#recorded.position) return;
    const next = view.bases[1];
    const deletesSegment = next !== undefined && next <= position;
    if (!deletesSegment && this.#now() - this.#recorded.at < recordEveryMs) return;
    await recordAcknowledged(this.#db, view.id, position);
    this.#recorded = { position, at: this.#now() };
  }
}
