/**
 * The spools of a data folder: the one that this process writes, and one of each redirect worker.
 *
 * 1. One process at a time writes a spool and holds the lock in its folder: a worker its own spool; the main process
 *    `spool/` itself, and the spools of workers that no longer exist until they are read to their end and removed.
 * 2. All readers (readers.ts) run in this process and keep a cursor for each spool, by its id.
 * 3. Only its writer deletes segments of a spool. A worker reads from the database how far it may truncate its spool
 *    (links/counters.ts, recordAcknowledged).
 * 4. A spool restored from an older copy fast-forwards: it appends after the furthest cursor of its readers. A worker
 *    cannot ask the click store for its cursor, so the main process does this before the workers start. Therefore the
 *    operator stops the service before restoring files.
 */
import { mkdirSync } from "node:fs";
import { freeBytesMin, freeDiskBytes } from "../base/disk-space.ts";
import type { FileLock } from "../base/file-lock.ts";
import type { Log } from "../base/log.ts";
import { secondMs } from "../base/time.ts";
import { isMovingClicks, movePaths, removeMove } from "../click-move-folder.ts";
import type { LossRecord } from "../clicks/lost-clicks.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { openSpool, type Spool, type SpoolOptions } from "../clicks/spool.ts";
import { unreadableVersion } from "../clicks/spool-format.ts";
import { type Recovered, recover } from "../clicks/spool-recovery.ts";
import type { Config } from "../config.ts";
import { dataPaths, workerSpoolIndexes, workerSpoolPath } from "../data-paths.ts";
import type { Db } from "../database/database.ts";
import { forEveryReader, furthestCursorOf, type PerReader, type ReaderName, readerNames } from "./cursors.ts";
import { spoolReaders } from "./readers.ts";
import { lockWorkerSpool, spoolOptions } from "./spool-folders.ts";
import { AdoptedSpool, type SpoolExtent, type TrackedSpool, WorkerSpool, WrittenSpool } from "./tracked-spool.ts";

/**
 * How long to wait for the lock of a former worker's spool: a process killed with its supervisor has released it
 * before.
 */
const lockTimeMaxMs = 5 * secondMs;

/** See the top of this file. */
export type Spools = {
  /** The spool that this process appends to. */
  readonly own: Spool;
  /** All current spools, this process's own first. */
  all(): readonly TrackedSpool[];
  /**
   * Sets a reader's cursors to 0 after the process that reported them has died, and when another one starts, so that no
   * segment is deleted because of them. The reader's next step reports its real cursor.
   */
  forgetCursors(reader: ReaderName): void;
  /**
   * Reads a former worker's or detached spool to its end, and removes it. The next truncation begins with it, and repeats
   * it until it succeeds, as while the database is away.
   */
  adopt(index: number): void;
  /** Truncates each spool, unless a hold keeps their segments; throws the first failure after trying all of them. */
  truncate(): Promise<void>;
  /** Keeps all segments until the hold is released. Call it while no truncation runs. One hold at a time. */
  hold(): SegmentHold;
  close(): void;
};

/**
 * A hold of the spools' segments. It breaks when they fill half of a spool's space, because new clicks matter more than a
 * backup; release returns whether it lasted.
 */
type SegmentHold = { release(): boolean };

/** The dependencies of openSpools. */
export type SpoolsDeps = {
  db: Db;
  pipeline: Pipeline;
  /** True before the store's file exists. */
  isStoreAbsent: () => boolean;
  log: Log;
  now: () => number;
  losses: LossRecord;
};

/** Opens the spools. Throws SpoolCorrupt when one that this process writes cannot be read. */
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
  const trackedOwn = new WrittenSpool(directory, own, cursors, deps);
  const workers = Array.from(
    { length: config.WAYPOST_WORKERS },
    (_, index) => new WorkerSpool(workerSpoolPath(config, index + 1), deps),
  );
  const all = () => [trackedOwn, ...workers, ...adopted.filter(({ isRemoved }) => !isRemoved)];
  const forgetCursors = (reader: ReaderName) => {
    for (const spool of all()) spool.cursors[reader] = 0;
  };
  const holds = new SegmentHolds(config, deps.log);
  const indexesToAdopt = new Set<number>();
  const adoptWaiting = () =>
    tryEach([...indexesToAdopt], async (index) => {
      adopted.push(await adopt({ ...options, directory: workerSpoolPath(config, index) }, deps));
      indexesToAdopt.delete(index);
    });
  const truncateAll = async () => {
    if (!(await holds.keeps(all()))) await tryEach(all(), (spool) => spool.truncate());
  };
  return {
    own,
    all,
    adopt: (index) => indexesToAdopt.add(index),
    forgetCursors,
    truncate: () => tryEach([adoptWaiting, truncateAll], (step) => step()),
    hold: () => holds.begin(),
    close: closeWritten,
  };
}

/** The current hold of a backup, and that of a move of clicks to ClickHouse. */
class SegmentHolds {
  readonly #config: Config;
  readonly #log: Log;
  #isHeld = false;

  constructor(config: Config, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  begin(): SegmentHold {
    this.#isHeld = true;
    return {
      release: () => {
        const hasLasted = this.#isHeld;
        this.#isHeld = false;
        return hasLasted;
      },
    };
  }

  /** True while a hold keeps the segments. Breaks it when they, or other files, leave new clicks too little room. */
  async keeps(spools: readonly TrackedSpool[]): Promise<boolean> {
    const isMoving = isMovingClicks(this.#config) && this.#config.WAYPOST_CLICKS_URL === undefined;
    if (!this.#isHeld && !isMoving) return false;
    const bytes = Math.max(...spools.map((spool) => extentOrNone(spool)?.bytes ?? 0));
    const isFilling = bytes >= spoolOptions(this.#config).spoolBytesMax / 2;
    if (isFilling) this.#isHeld = false;
    const freeBytes = isMoving ? await freeDiskBytes(dataPaths(this.#config).data) : Number.POSITIVE_INFINITY;
    if (isMoving && (isFilling || freeBytes < freeBytesMin)) {
      removeMove(movePaths(this.#config).folder);
      this.#log.error(moveEnded, { spoolBytes: bytes, freeBytes });
      return this.#isHeld;
    }
    return !isFilling;
  }
}

const moveEnded =
  "New clicks need the space of the spool or the disk, so the move of clicks to ClickHouse was ended. Make room, and run waypost migrate --to-clicks again.";

/** Takes a step for each item, also after a failure: one spool that cannot be read does not keep the others from making room. */
async function tryEach<Item>(items: readonly Item[], step: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await step(item);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Bytes of all spools together, and the bytes that each reader has not read yet. */
type SpoolTotals = { bytes: number; lagBytes: PerReader };

/** Adds up the spools. Skips a spool that cannot be read now; the task that reads it reports why. */
export function spoolTotals(spools: Pick<Spools, "all">): SpoolTotals {
  const totals = { bytes: 0, lagBytes: forEveryReader(0) };
  for (const spool of spools.all()) {
    const extent = extentOrNone(spool);
    if (extent === undefined) continue;
    totals.bytes += extent.bytes;
    for (const reader of readerNames) totals.lagBytes[reader] += extent.end - spool.cursors[reader];
  }
  return totals;
}

/** The ids of the spools that can be read now. */
export function readableSpoolIds(spools: Spools): string[] {
  return spools.all().flatMap((spool) => extentOrNone(spool)?.id ?? []);
}

/** The extent of a spool; undefined while it has none, or cannot be read. */
export function extentOrNone(spool: TrackedSpool): SpoolExtent | undefined {
  try {
    return spool.extent();
  } catch {
    // The task that reads this spool reports the failure.
    return undefined;
  }
}

async function adopt(options: SpoolOptions, deps: SpoolsDeps): Promise<AdoptedSpool> {
  const { directory } = options;
  const lock = await lockWorkerSpool(directory, lockTimeMaxMs);
  if (lock === undefined) throw new Error(`${directory} is held by a redirect worker that should have ended.`);
  try {
    const { spool, cursors } = await openFastForwarded(options, deps);
    return new AdoptedSpool(spool, lock, cursors, { directory, deps });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Fast-forwards a worker's spool, unless the worker runs: then this happened when the service started. */
async function fastForward(options: SpoolOptions, deps: SpoolsDeps): Promise<void> {
  const lock: FileLock | undefined = await lockWorkerSpool(options.directory, 0);
  if (lock === undefined) return;
  try {
    const { spool } = await openFastForwarded(options, deps);
    spool.close();
  } finally {
    lock.release();
  }
}

/** Opens a spool that appends after everything its readers have seen. */
async function openFastForwarded(options: SpoolOptions, deps: SpoolsDeps) {
  const { directory } = options;
  mkdirSync(directory, { recursive: true });
  const recovered = recover(directory);
  reportRecovery(deps, directory, recovered);
  const { id, end, unreadableEnd } = recovered;
  const cursors = await readCursors(deps, id, unreadableEnd);
  const furthestCursor = furthestCursorOf(cursors);
  if (furthestCursor > end) {
    deps.log.warn(
      "The spool ends before its readers' cursors, and continues after them. Was it restored from an older copy?",
      {
        directory,
        end,
        furthestCursor,
      },
    );
  }
  return { spool: openSpool({ ...options, furthestCursor }, recovered), cursors };
}

/**
 * The cursors of all readers in a spool; 0 for a reader that cannot tell its cursor now.
 * Throws SpoolCorrupt when another reader has not reached the end of the clicks that this version cannot read.
 */
async function readCursors(
  deps: SpoolsDeps,
  spoolId: string,
  unreadableEnd: Recovered["unreadableEnd"],
): Promise<PerReader> {
  const cursors = forEveryReader(0);
  for (const name of readerNames) {
    // The question would create an absent store, which a repeated first start would take for that of another database. A store
    // that exists is asked, so that the log says at once when it cannot be opened.
    const isAbsent = name === "store" && deps.isStoreAbsent();
    const cursor = isAbsent ? 0 : await spoolReaders[name].cursor(deps, spoolId);
    if (cursor === undefined) continue;
    if (cursor < unreadableEnd.position) throw unreadableVersion(unreadableEnd.fileName, unreadableEnd.version);
    cursors[name] = cursor;
  }
  return cursors;
}

/** Logs the findings and repairs of opening a spool, and records the clicks that readers cannot find. */
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
        : "A spool segment with a damaged header was set aside: no other segment tells which spool it belongs to.";
    log.error(message, { directory, ...repair });
    if (repair.kind === "repaired") continue;
    losses.count("damaged", { clicks: repair.clicksMax, reason: `the header of ${repair.fileName} is damaged` }, now());
  }
  losses.save();
}
