import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { randomBase62 } from "../../base/ids.ts";
import { isMissing } from "../../base/is-missing.ts";
import { Thread } from "../../base/thread.ts";
import { dayMs, hourMs } from "../../base/time.ts";
import type { Database, Db } from "../../database/database.ts";
import { readSetting, storeSetting } from "../../database/settings.ts";
import { transact } from "../../database/transact.ts";
import { settingName } from "./active-lookup-file.ts";
import type { LookupManifest } from "./layout.ts";
import { readLookupManifest } from "./lookup-file.ts";

/** A file is written for more links than this; fewer fit into the cache. */
export const lookupFileLinksMin = 50_000;
/** A new file is due after this many changes: each sends lookups to the database. */
const changesMin = 20_000;
/** A new file is also due this long after a change, so that deleted links do not stay in it. */
const changeAgeMaxMs = dayMs;
/** Timeout of writing a file; the largest takes a few minutes. */
const writeTimeMaxMs = hourMs;
/** Writing files takes at most a tenth of the time, however much changes. */
const pauseFactor = 10;
const nameLength = 16;

/** TABLE of the calls of the thread that writes a lookup file. */
export type LookupFileVerbs = {
  start: { argument: undefined; result: undefined };
  /** Writes a file of the database at `path` into `folder`; the result is undefined after an abort. */
  write: { argument: { path: string; folder: string }; result: LookupManifest | undefined };
  /** Aborts the file that is being written. */
  close: { argument: undefined; result: undefined };
};

/** The database, the folder of its files, and the number of links above which a file is written. */
type LookupFilesOptions = {
  /** undefined while none has all links, as before the first copy of the links of PostgreSQL. */
  database: () => OpenDatabase | undefined;
  now: () => number;
  folder: string;
  linksMin: number;
  /** Monotonic time in milliseconds. Default: performance.now. */
  clock?: () => number;
};

type OpenDatabase = Pick<Database, "db" | "reads" | "sqlite">;

/** The metadata of the file in use; `isNew` when this call wrote it. */
type FileInUse = { manifest: LookupManifest; isNew: boolean };

/** The lookup files of a database: folders in `folder`; a setting names the one in use. */
export class LookupFiles {
  readonly #options: LookupFilesOptions;
  readonly #clock: () => number;
  #thread: Thread<LookupFileVerbs> | undefined;
  #inUse: { name: string; manifest: LookupManifest } | undefined;
  #isStopped = false;
  #lastCommits = -1;
  #nextCheckAt = 0;
  #pausedUntil = 0;

  /** Reads nothing and starts no thread before the first `keep`. */
  constructor(options: LookupFilesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /**
   * Writes a new file if one is due, which the lookups of all processes then use. Resolves with the file in use;
   * undefined when there is none, as with few links, or when nothing was committed since the last call.
   */
  async keep(): Promise<FileInUse | undefined> {
    const { now, linksMin } = this.#options;
    const database = this.#options.database();
    if (database === undefined) return await this.#removeAll();
    const commits = database.sqlite?.commits();
    const isAsked = commits !== this.#lastCommits || now() >= this.#nextCheckAt;
    if (commits === undefined || !isAsked) return undefined;
    const manifest = await this.#manifestInUse(database);
    const isDue = await (manifest === undefined
      ? (await mayHaveLinks(database.db, linksMin)) && hasLinks(database.reads, linksMin)
      : isOutdated(database.reads, manifest.event, now()));
    if (isDue && this.#clock() >= this.#pausedUntil) return await this.#replace(database);
    // Checked again on the next call while a file is due.
    if (!isDue) {
      this.#lastCommits = commits;
      this.#nextCheckAt = now() + changeAgeMaxMs;
    }
    return manifest === undefined ? undefined : { manifest, isNew: false };
  }

  /** The number of links in the file in use at the last `keep`; 0 without a file. */
  get links(): number {
    return this.#inUse?.manifest.links ?? 0;
  }

  /** Aborts a running `keep` and turns later ones into no-ops. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#thread?.call("close", undefined);
  }

  /** A process that has a file open reads it until the database names none. */
  async #removeAll(): Promise<undefined> {
    this.#inUse = undefined;
    await removeOtherFiles(this.#options.folder, undefined);
  }

  /** Read once, since they list all domains of the file. */
  async #manifestInUse(database: OpenDatabase): Promise<LookupManifest | undefined> {
    const { folder } = this.#options;
    const name = await readSetting(database.db, settingName);
    if (name === undefined) this.#inUse = undefined;
    else if (this.#inUse?.name !== name) {
      const manifest = readLookupManifest(join(folder, name));
      this.#inUse = manifest === undefined ? undefined : { name, manifest };
    }
    return this.#inUse?.manifest;
  }

  async #replace(database: OpenDatabase): Promise<FileInUse | undefined> {
    const { folder } = this.#options;
    const startedAt = this.#clock();
    const name = randomBase62(nameLength);
    try {
      // Removes what a crash has left of an earlier file.
      await removeOtherFiles(folder, this.#inUse?.name);
      const manifest = await this.#write(database, join(folder, name));
      const isAborted = this.#isStopped || this.#options.database() === undefined;
      if (manifest === undefined || isAborted) return undefined;
      // From this commit on lookups open the new file; see active-lookup-file.ts.
      await transact(database.db, (tx) => storeSetting(tx, settingName, name));
      this.#inUse = { name, manifest };
      return { manifest, isNew: true };
    } finally {
      await removeOtherFiles(folder, this.#inUse?.name);
      const endedAt = this.#clock();
      this.#pausedUntil = endedAt + pauseFactor * (endedAt - startedAt);
    }
  }

  async #write({ sqlite }: OpenDatabase, folder: string): Promise<LookupManifest | undefined> {
    if (sqlite === undefined || this.#isStopped) return undefined;
    const file = new URL("./lookup-file-worker.ts", import.meta.url);
    this.#thread = new Thread<LookupFileVerbs>(file, writeTimeMaxMs, undefined);
    try {
      return await this.#thread.call("write", { path: sqlite.path, folder });
    } finally {
      this.#thread.terminate();
      this.#thread = undefined;
    }
  }
}

/** False when there are fewer links for certain. Takes no time, and starts no reading thread in a small service. */
async function mayHaveLinks(db: Db, count: number): Promise<boolean> {
  const last = await db.selectFrom("links").select(sql<number | null>`max("rowid")`.as("rowid")).executeTakeFirst();
  return (last?.rowid ?? 0) >= count;
}

async function hasLinks(db: Db, count: number): Promise<boolean> {
  const last = await db
    .selectFrom("links")
    .select("id")
    .orderBy("id")
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

async function isOutdated(db: Db, since: number, now: number): Promise<boolean> {
  const first = await db
    .selectFrom("events")
    .select(["id", "at"])
    .where("id", ">", since)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return false;
  if (now - first.at >= changeAgeMaxMs) return true;
  const { last } = await db
    .selectFrom("events")
    .select((select) => select.fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  return last - since >= changesMin;
}

/** A process that has an old file open can still read it. */
async function removeOtherFiles(folder: string, name: string | undefined): Promise<void> {
  for (const other of await readdir(folder).catch(noNames)) {
    if (other !== name) await rm(join(folder, other), { recursive: true, force: true });
  }
}

function noNames(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}
