/**
 * The spools of a data folder, as their readers see them: the one this process writes, and one of each redirect worker.
 *
 * 1. A spool is written by one process at a time, which holds the lock in its folder: a worker its own; the main process
 *    `spool/` itself, and those of workers that exist no more, until they are read to their end and removed.
 * 2. The readers, all in this process, keep a cursor for each spool, by its id.
 * 3. Only its writer deletes segments of a spool. A worker's learns from the database how far it may
 *    (links/counters.ts, recordAcknowledged).
 * 4. Restored from an older copy, a spool goes on ahead of its readers. A worker cannot ask the click store how far that
 *    is, so it is seen to here, at the first start and before the workers: whoever exchanges files stops the service.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FileLock, lockFileWithin } from "./base/file-lock.ts";
import type { Log } from "./base/log.ts";
import { Problem } from "./base/problem.ts";
import { secondMs } from "./base/time.ts";
import { type Loss, type LossRecord, type LostClicks, mergeLosses, readLosses } from "./clicks/lost-clicks.ts";
import type { Pipeline } from "./clicks/pipeline.ts";
import { openSpool, type Spool, type SpoolOptions } from "./clicks/spool.ts";
import { damagedCopies } from "./clicks/spool-damage.ts";
import { unreadableVersion } from "./clicks/spool-format.ts";
import { type Recovered, recover } from "./clicks/spool-recovery.ts";
import { viewSpool } from "./clicks/spool-view.ts";
import type { Config } from "./config.ts";
import { dataPaths, workerSpoolIndexes, workerSpoolPath } from "./data-paths.ts";
import type { Db } from "./database/database.ts";
import { countersCursor, recordAcknowledged } from "./links/counters.ts";

/** A process that was killed with its supervisor has let go long before. */
const lockTimeMaxMs = 5 * secondMs;
/** How often a release is recorded that deletes no segment yet: it may be what a full disk waits for. */
const recordEveryMs = 10 * secondMs;

/** How far a spool goes, and what it takes on the disk. */
export type SpoolExtent = { id: string; end: number; bytes: number };

type Cursors = { store: number; counters: number };

/** A spool as its readers see it. */
export type TrackedSpool = {
  readonly directory: string;
  /**
   * The cursors of its readers as last seen; what lies behind both of them may be deleted. A spool that took the place
   * of another has cursors of its own: whoever reads takes them behind `extent`, and sets them whatever comes meanwhile.
   */
  readonly cursors: Cursors;
  /** Undefined while there is nothing to read. Throws SpoolCorrupt. */
  extent(): SpoolExtent | undefined;
  /** Lets go of what both readers have passed. */
  truncate(): Promise<void>;
};

/** See the top of this file. */
export type Spools = {
  /** The one that this process appends to. */
  readonly own: Spool;
  /** All that are there now, this process's own first. */
  all(): readonly TrackedSpool[];
  /**
   * Sets the store's cursors to 0: what a process that died said of them no longer lets a segment be deleted. The next
   * batch learns from a new process how far the store is.
   */
  forgetStoreCursors(): void;
  /** Lets go, in each of them, of what both readers have passed; throws the first failure when none is left to ask. */
  truncate(): Promise<void>;
  close(): void;
};

/** What opening the spools takes. */
export type SpoolsDeps = { db: Db; pipeline: Pipeline; log: Log; now: () => number; losses: LossRecord };

/** Opens the spools. Throws SpoolCorrupt when one that this process writes cannot be read as written. */
export async function openSpools(config: Config, deps: SpoolsDeps): Promise<Spools> {
  const directory = dataPaths(config).spool;
  const options = spoolOptions(config);
  const { spool: own, cursors } = await openFastForwarded({ ...options, directory }, deps);
  const adopted: AdoptedSpool[] = [];
  const closeWritten = () => {
    for (const spool of adopted) spool.close();
    own.close();
  };
  try {
    for (const index of workerSpoolIndexes(config)) {
      const folder = workerSpoolPath(config, index);
      if (index > config.WAYPOST_WORKERS) adopted.push(await adopt({ ...options, directory: folder }, deps));
      else await fastForward({ ...options, directory: folder }, deps);
    }
  } catch (error) {
    closeWritten();
    throw error;
  }
  const ownRead = new WrittenSpool(directory, own, cursors, deps);
  const workers = Array.from(
    { length: config.WAYPOST_WORKERS },
    (_, index) => new WorkerSpool(workerSpoolPath(config, index + 1), deps),
  );
  const all = () => [ownRead, ...workers, ...adopted.filter(({ isRemoved }) => !isRemoved)];
  const forgetStoreCursors = () => {
    for (const { cursors } of all()) cursors.store = 0;
  };
  return { own, all, forgetStoreCursors, truncate: () => truncateEach(all()), close: closeWritten };
}

/** A spool that cannot be read keeps no other from making room. */
async function truncateEach(spools: readonly TrackedSpool[]): Promise<void> {
  const failures: unknown[] = [];
  for (const spool of spools) {
    try {
      await spool.truncate();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Bytes of all spools together, and those that each reader has still to read. */
export type SpoolTotals = { bytes: number; lagBytes: { store: number; counters: number } };

/** Adds up the spools. One that cannot be read now is passed over; the task that reads it says why. */
export function spoolTotals(spools: Spools): SpoolTotals {
  const totals = { bytes: 0, lagBytes: { store: 0, counters: 0 } };
  for (const spool of spools.all()) {
    const extent = extentOrNone(spool);
    if (extent === undefined) continue;
    totals.bytes += extent.bytes;
    totals.lagBytes.store += extent.end - spool.cursors.store;
    totals.lagBytes.counters += extent.end - spool.cursors.counters;
  }
  return totals;
}

/** The ids of the spools that can be read now. */
export function readableSpoolIds(spools: Spools): string[] {
  return spools.all().flatMap((spool) => extentOrNone(spool)?.id ?? []);
}

function extentOrNone(spool: TrackedSpool): SpoolExtent | undefined {
  try {
    return spool.extent();
  } catch {
    return undefined;
  }
}

/** How every process of the data folder writes its spool: the bound of all of them is shared evenly. */
export function spoolOptions(config: Config): Pick<SpoolOptions, "syncIntervalMs" | "spoolBytesMax"> {
  return {
    syncIntervalMs: config.WAYPOST_SPOOL_SYNC_MS,
    spoolBytesMax: Math.floor(config.WAYPOST_SPOOL_MAX_BYTES / (config.WAYPOST_WORKERS + 1)),
  };
}

/** The lock of a worker's spool; the folder is made when absent. Undefined when another process holds it for long. */
export async function holdWorkerSpool(directory: string, withinMs: number): Promise<FileLock | undefined> {
  // A new folder must survive power loss before the clicks in it are said to.
  if (mkdirSync(directory, { recursive: true }) !== undefined) syncFolder(dirname(directory));
  return await lockFileWithin(join(directory, "writer.lock"), withinMs);
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}

/** Dropped clicks that the operator has not accepted as lost, of all spools; undefined for none. */
export function droppedClicks(config: Config): Loss | undefined {
  return lostClicks(config).dropped ?? undefined;
}

/** Clicks of all spools that are lost, and that the operator has not accepted as lost. */
export function lostClicks(config: Config): LostClicks {
  return spoolFolders(config).map(readLosses).reduce(mergeLosses, { dropped: null, damaged: null });
}

/** The folders of the spools, the redirect workers' too; none before the first start. */
export function spoolFolders(config: Config): string[] {
  const { spool } = dataPaths(config);
  if (!existsSync(spool)) return [];
  return [spool, ...workerSpoolIndexes(config).map((index) => workerSpoolPath(config, index))];
}

/** Where the slower of the two readers is. */
function slowestCursor({ cursors }: Pick<TrackedSpool, "cursors">): number {
  return Math.min(cursors.store, cursors.counters);
}

/** A spool that this process writes. */
class WrittenSpool implements TrackedSpool {
  readonly directory: string;
  readonly cursors: Cursors;
  readonly #spool: Spool;
  readonly #db: Db;

  constructor(directory: string, spool: Spool, cursors: Cursors, { db }: SpoolsDeps) {
    this.directory = directory;
    this.cursors = cursors;
    this.#spool = spool;
    this.#db = db;
  }

  extent(): SpoolExtent {
    return { id: this.#spool.id, end: this.#spool.end(), bytes: this.#spool.bytes() };
  }

  async truncate(): Promise<void> {
    const position = slowestCursor(this);
    if (!this.#spool.canTruncate(position)) return;
    await recordAcknowledged(this.#db, this.#spool.id, position);
    this.#spool.truncate(position);
  }

  close(): void {
    this.#spool.close();
  }
}

/** What a worker that exists no more has left: nothing is appended, and when all is read the folder goes. */
class AdoptedSpool extends WrittenSpool {
  isRemoved = false;
  readonly #held: FileLock;
  readonly #deps: SpoolsDeps;

  constructor(spool: Spool, held: FileLock, cursors: Cursors, given: AdoptedPlace) {
    super(given.directory, spool, cursors, given.deps);
    this.#held = held;
    this.#deps = given.deps;
  }

  override async truncate(): Promise<void> {
    if (this.isRemoved) return;
    const { id, end } = this.extent();
    const position = slowestCursor(this);
    if (position < end) return await super.truncate();
    // So that power loss cannot set the counters back behind clicks that are gone.
    await recordAcknowledged(this.#deps.db, id, position);
    this.close();
    this.#keepLosses();
    rmSync(this.directory, { recursive: true, force: true });
    this.isRemoved = true;
    this.#deps.log.info("What a redirect worker of before had left is stored.", { directory: this.directory });
  }

  override close(): void {
    if (this.isRemoved) return;
    super.close();
    this.#held.release();
  }

  /** Moves what the folder tells of lost clicks to the main process's spool. */
  #keepLosses(): void {
    const { losses } = this.#deps;
    losses.add(readLosses(this.directory));
    losses.save();
    for (const name of damagedCopies(this.directory).names) {
      const kept = join(dirname(this.directory), `${basename(this.directory)}-${name}`);
      renameSync(join(this.directory, name), kept);
    }
  }
}

type AdoptedPlace = { directory: string; deps: SpoolsDeps };

/** A running worker's. */
class WorkerSpool implements TrackedSpool {
  readonly directory: string;
  cursors: Cursors = { store: 0, counters: 0 };
  readonly #db: Db;
  readonly #now: () => number;
  #id: string | undefined;
  #recorded = { position: 0, at: 0 };

  constructor(directory: string, { db, now }: SpoolsDeps) {
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
    // A worker whose disk was full may have begun another one: no reader knows it, as none knows it at a start.
    if (view.id !== this.#id) {
      this.#id = view.id;
      this.#recorded = { position: 0, at: 0 };
      this.cursors = { store: 0, counters: 0 };
    }
    return view;
  }

  async truncate(): Promise<void> {
    const view = this.#view();
    const position = slowestCursor(this);
    if (view === undefined || position <= this.#recorded.position) return;
    const next = view.bases[1];
    const deletesSegment = next !== undefined && next <= position;
    if (!deletesSegment && this.#now() - this.#recorded.at < recordEveryMs) return;
    await recordAcknowledged(this.#db, view.id, position);
    this.#recorded = { position, at: this.#now() };
  }
}

async function adopt(options: SpoolOptions, deps: SpoolsDeps): Promise<AdoptedSpool> {
  const { directory } = options;
  const held = await holdWorkerSpool(directory, lockTimeMaxMs);
  if (held === undefined) throw new Error(`${directory} is held by a redirect worker that should have ended.`);
  try {
    const { spool, cursors } = await openFastForwarded(options, deps);
    return new AdoptedSpool(spool, held, cursors, { directory, deps });
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Puts a worker's spool ahead of its readers, unless the worker runs: then it was seen to when the service began. */
async function fastForward(options: SpoolOptions, deps: SpoolsDeps): Promise<void> {
  const held = await holdWorkerSpool(options.directory, 0);
  if (held === undefined) return;
  try {
    const { spool } = await openFastForwarded(options, deps);
    spool.close();
  } finally {
    held.release();
  }
}

/** The spool, appending ahead of everything its readers have seen. */
async function openFastForwarded(options: SpoolOptions, { db, pipeline, log, losses, now }: SpoolsDeps) {
  const { directory } = options;
  mkdirSync(directory, { recursive: true });
  const recovered = recover(directory);
  reportRecovery({ log, losses, now }, directory, recovered);
  const { id, end, unreadableEnd } = recovered;
  const counters = await countersCursor(db, id);
  const store = await storeCursor(pipeline, id, log);
  if (Math.min(store ?? counters, counters) < unreadableEnd.position) {
    throw unreadableVersion(unreadableEnd.fileName, unreadableEnd.version);
  }
  const cursors = { store: store ?? 0, counters };
  const furthestCursor = Math.max(cursors.store, cursors.counters);
  if (furthestCursor > end) {
    log.warn("The spool ends before its readers; it goes on ahead of them. Was it restored from an older copy?", {
      directory,
      end,
      furthestCursor,
    });
  }
  return { spool: openSpool({ ...options, furthestCursor }, recovered), cursors };
}

/** Logs what opening a spool has found in its folder and done about it, and records the clicks that readers cannot find. */
export function reportRecovery(
  { log, losses, now }: Pick<SpoolsDeps, "log" | "losses" | "now">,
  directory: string,
  { cutBytes, repairs }: Pick<Recovered, "cutBytes" | "repairs">,
): void {
  if (cutBytes > 0) {
    const message = "A write that a crash or power loss interrupted was cut from the end of the spool.";
    log.warn(message, { directory, cutBytes });
  }
  for (const repair of repairs) {
    const message =
      repair.kind === "repaired"
        ? "A damaged header of a spool segment was written again."
        : "A spool segment with a damaged header was set aside: no other segment says which spool it belongs to.";
    log.error(message, { directory, ...repair });
    if (repair.kind === "repaired") continue;
    losses.count("damaged", { clicks: repair.clicksMax, reason: `the header of ${repair.fileName} is damaged` }, now());
  }
  losses.save();
}

/** A store that cannot be opened now must not keep redirects from starting: its clicks wait in the spool. */
async function storeCursor(pipeline: Pipeline, spoolId: string, log: Log): Promise<number | undefined> {
  try {
    return await pipeline.cursor(spoolId);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.error("The click store cannot be opened; clicks wait in the spool while it has room.", { error });
    return undefined;
  }
}
