/**
 * Collects the copies of a backup in a folder of the data folder, from which they are archived. archive-format.ts says
 * why the copies agree with each other.
 *
 * Order: pause removals → keep all segments → remember the store → copy the database → fix the snapshot of the store →
 * link the spools → release the segments → wait for the rows of the store's copy → let removals go on.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import type { App } from "../app.ts";
import { requireSpaceForCopies } from "../base/disk-space.ts";
import { Problem } from "../base/problem.ts";
import { hourMs, isoTime, secondMs } from "../base/time.ts";
import type { CopyContents, CopyStore, StoreCopy } from "../clicks/store-copy.ts";
import { storeSchemaVersion } from "../clicks/stores/schema-version.ts";
import { dataPaths } from "../data-paths.ts";
import { copyDatabase, copyNames } from "../database/copying-thread.ts";
import { movedTo } from "../database/moved.ts";
import type { DatabaseCopy } from "../database/table-counts.ts";
import { databaseLocation } from "../database-location.ts";
import { spoolFolders } from "../spools/spool-folders.ts";
import { formatVersion, type Manifest, storeName } from "./archive-format.ts";
import { backupTimeMaxMs } from "./backup-names.ts";
import { type CopiedSecret, copySecret } from "./copy-secret.ts";
import { copySpools } from "./copy-spools.ts";

const clicksElsewhere =
  "The clicks are in ClickHouse, which a backup of Waypost does not contain. Back up PostgreSQL and ClickHouse with their own tools, as docs/clickhouse.md describes.";

/** The steps that a caller can report. */
export type StagePhase = "database" | "clicks";

type StageDeps = Pick<
  App,
  "config" | "database" | "now" | "pipeline" | "readersLock" | "removalsLock" | "spools" | "storeLosses" | "db"
>;

/**
 * Whether the secret's file is included, a signal that aborts, a callback at the beginning of each step, and the longest that
 * the copies exist (default: backupTimeMaxMs).
 */
export type StageOptions = {
  includesSecret: boolean;
  signal: AbortSignal;
  onPhase(phase: StagePhase): void;
  timeMaxMs?: number;
};

/** The folder with the copies, and the manifest that describes them. */
export type StagedBackup = { folder: string; manifest: Manifest };

/** TABLE of what a running backup does, as another one is told. */
const stepTexts = {
  waiting: "it waits until no clicks are removed",
  database: "it copies the database",
  clicks: "it copies the clicks",
  archive: "its command writes the archive",
} satisfies Record<StagePhase | "waiting" | "archive", string>;

type RunningBackup = { startedAt: number; step: keyof typeof stepTexts };

/** The backup that uses the folder of the process. The lock of the data folder keeps other processes out. */
let running: RunningBackup | undefined;

/**
 * Makes the copies of a backup, passes them to `use`, and removes them. Visitors, changes and reports go on. `use` returns soon
 * after its signal aborts: a command that hangs, such as a paused one, would otherwise refuse all later backups.
 * Throws "conflict" while another backup runs and for data that were moved, "unavailable" when the disk has too little space, the
 * store cannot be read or the backup takes too long, and what `use` throws.
 */
export async function withStagedBackup<Result>(
  deps: StageDeps,
  options: StageOptions,
  use: (staged: StagedBackup, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (running !== undefined) throw new Problem("conflict", alreadyRunning(running));
  if (deps.config.WAYPOST_CLICKS_URL !== undefined) throw new Problem("conflict", clicksElsewhere);
  const current: RunningBackup = { startedAt: performance.now(), step: "waiting" };
  running = current;
  const { backup: folder } = dataPaths(deps.config);
  const onPhase = (phase: StagePhase) => {
    current.step = phase;
    options.onPhase(phase);
  };
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(tookTooLong()), options.timeMaxMs ?? backupTimeMaxMs);
  const signal = AbortSignal.any([options.signal, ending.signal]);
  try {
    removeStage(folder);
    const { data, clicks, sqlite } = dataPaths(deps.config);
    // The copies take at most the space of what they copy.
    requireSpaceForCopies(data, [clicks, sqlite, `${sqlite}-wal`], "A backup");
    mkdirSync(folder, { mode: 0o700 });
    const moved = await movedTo(deps.db);
    if (moved !== undefined) throw new Problem("conflict", dataMoved(moved));
    const staged = await stage(deps, folder, { ...options, signal, onPhase });
    current.step = "archive";
    return await use(staged, signal);
  } finally {
    clearTimeout(timer);
    running = undefined;
    removeStage(folder);
  }
}

function alreadyRunning({ startedAt, step }: RunningBackup): string {
  const seconds = Math.round((performance.now() - startedAt) / secondMs);
  return `Another backup has been running for ${seconds} s: ${stepTexts[step]}. Wait until it has ended.`;
}

function tookTooLong(): Problem {
  return new Problem(
    "unavailable",
    `The backup took longer than ${backupTimeMaxMs / hourMs} hours, so its copies were removed.`,
  );
}

function dataMoved(engine: string): string {
  return `The data was moved to ${engine}, so this backup would be out of date. Restart Waypost with WAYPOST_DATABASE_URL and back up again.`;
}

/** Removes the copies of a backup, such as those that a killed process has left. */
export function removeStage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

async function stage(deps: StageDeps, folder: string, options: StageOptions): Promise<StagedBackup> {
  const { config, pipeline, now, removalsLock } = deps;
  const { includesSecret, signal, onPhase } = options;
  const createdAt = isoTime(now());
  return await removalsLock.exclusive(async () => {
    // The client may have left during the wait.
    signal.throwIfAborted();
    const hold = await deps.readersLock.exclusive(async () => deps.spools.hold());
    let hasLasted = false;
    try {
      // Otherwise a start from the copies would refuse a store whose first clicks came between the two copies.
      await deps.storeLosses.rememberNew();
      onPhase("database");
      const database = await copyDatabase(databaseLocation(config), folder);
      signal.throwIfAborted();
      onPhase("clicks");
      return await whileCopyingStore(pipeline.copyTo, { path: join(folder, storeName), signal }, async (copy) => {
        const copied = copySpools(spoolFolders(config), folder);
        hasLasted = hold.release();
        if (!hasLasted) throw new Problem("unavailable", "The spool was filling up, so the backup was stopped.");
        requireReachable(copied.spools, copy.cursors);
        const { rows } = await copy.written;
        const store = { rows, cursors: copy.cursors };
        const secret = copySecret(dataPaths(config).data, folder, includesSecret);
        return { folder, manifest: describe({ createdAt, folder, database, store, copied, secret }, deps) };
      });
    } finally {
      if (!hasLasted) hold.release();
    }
  });
}

/**
 * Begins a copy of the store and passes it to `use`. When `use` fails, aborts the copy and waits for its end: otherwise
 * the store would write into a folder that is being removed, and collide with the next copy.
 */
async function whileCopyingStore<Result>(
  copyTo: CopyStore,
  { path, signal }: { path: string; signal: AbortSignal },
  use: (copy: StoreCopy) => Promise<Result>,
): Promise<Result> {
  const failing = new AbortController();
  const copy = await copyTo(path, AbortSignal.any([signal, failing.signal]));
  // `use` awaits it, unless it fails before.
  copy.written.catch(() => {});
  try {
    return await use(copy);
  } catch (error) {
    failing.abort(error);
    await copy.written.catch(() => {});
    throw error;
  }
}

/** Asserts that the readers of a restored backup find their next clicks; see archive-format.ts, 5. */
function requireReachable(spools: Manifest["spools"], cursors: CopyContents["cursors"]): void {
  for (const { id, from, to } of spools) {
    const cursor = cursors[id] ?? 0;
    if (cursor > to || (cursor < from && cursor > 0)) {
      throw new Error(`The store's cursor ${cursor} is outside the copied spool ${id}, from ${from} to ${to}.`);
    }
  }
}

type Copies = {
  createdAt: string;
  folder: string;
  database: DatabaseCopy;
  store: CopyContents;
  copied: Pick<Manifest, "spools" | "files">;
  secret: CopiedSecret;
};

function describe(
  { createdAt, folder, database, store, copied, secret }: Copies,
  { database: { engine } }: StageDeps,
): Manifest {
  const databaseFiles =
    engine === "sqlite" ? [copyNames.sqlite] : readdirSync(join(folder, copyNames.postgres)).map(postgresName).sort();
  const sized = (name: string) => ({ name, bytes: statSync(join(folder, name)).size });
  return {
    ...{ format: formatVersion, version, createdAt },
    database: { engine, ...database },
    store: { schemaVersion: storeSchemaVersion, rows: { ...store.rows }, cursors: { ...store.cursors } },
    spools: copied.spools,
    ...{ secret: secret.kind, secretFingerprint: secret.fingerprint },
    files: [...[...databaseFiles, storeName, ...secret.files].map(sized), ...copied.files],
  };
}

function postgresName(file: string): string {
  return `${copyNames.postgres}/${file}`;
}
