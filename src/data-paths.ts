import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporarySocketFolder } from "./base/socket-file.ts";
import type { Config } from "./config.ts";

/** Paths inside the data folder. */
export function dataPaths(config: Pick<Config, "WAYPOST_DATA">) {
  const data = config.WAYPOST_DATA;
  return {
    data,
    sqlite: join(data, "waypost.sqlite"),
    /** Lookup files, which are copies of the database and may be deleted while no server runs. */
    lookup: join(data, "lookup"),
    /** With PostgreSQL, the copy of the links that redirects read; it may be deleted while no server runs. */
    replica: join(data, "links.replica"),
    /** With PostgreSQL, the copy of the certificates, whose keys are encrypted; see certificates/certificate-copy.ts. */
    certificates: join(data, "waypost.certificates"),
    clicks: join(data, "clicks.duckdb"),
    spool: join(data, "spool"),
    /** While clicks from before a start without PostgreSQL wait: the snapshot that redirects had; see missed-removals.ts. */
    missedSince: join(data, "spool", "missed-since"),
    /** Where a running backup collects its copies. */
    backup: join(data, "waypost.backup"),
    /** Snapshots of the SQLite file, while it moves to PostgreSQL; see database/move-snapshots.ts. */
    moveSnapshots: join(data, "waypost.move"),
    /** Names the backups of this folder; see backup/backup-series.ts. */
    backupSeries: join(data, "waypost.series"),
    /** What a move of clicks to ClickHouse needs, and one back; see click-move-folder.ts. */
    clickMove: join(data, "clicks.move"),
    clickMoveBack: join(data, "clicks.move-back"),
    /** Where a restore unpacks a backup. While it exists, the folder cannot be used. */
    restore: join(data, "waypost.restore"),
    /** The id of this node; see nodes/node-file.ts. */
    node: join(data, "waypost.node"),
    lock: join(data, "waypost.lock"),
    mainLock: join(data, "main.lock"),
    /** Encrypts the private keys in the database while WAYPOST_SECRET is unset. */
    secret: join(data, "secret"),
    adminSocket: socketPath(data, "admin"),
    /** Where redirect workers forward requests that only the main process answers. */
    mainSocket: socketPath(data, "main"),
  };
}

/** Returns the socket on which a redirect worker reports its metrics. */
export function workerSocketPath(config: Pick<Config, "WAYPOST_DATA">, index: number): string {
  return socketPath(config.WAYPOST_DATA, `worker-${index}`);
}

/** Returns the folder of a redirect worker's spool; workers are numbered from 1. */
export function workerSpoolPath(config: Pick<Config, "WAYPOST_DATA">, index: number): string {
  return join(dataPaths(config).spool, `worker-${index}`);
}

/** Parses the worker's number from the folder name of its spool; undefined for any other name. */
function workerSpoolIndex(name: string): number | undefined {
  const [, digits] = /^worker-([1-9]\d{0,3})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Lists the numbers of workers that have a spool, in ascending order. */
export function workerSpoolIndexes(config: Pick<Config, "WAYPOST_DATA">): number[] {
  const { spool } = dataPaths(config);
  if (!existsSync(spool)) return [];
  return readdirSync(spool)
    .flatMap((name) => workerSpoolIndex(name) ?? [])
    .sort((left, right) => left - right);
}

/** The limit of operating systems for the path of a socket, less a margin. */
const socketPathBytesMax = 100;

function socketPath(data: string, name: string): string {
  const path = join(data, `${name}.sock`);
  if (Buffer.byteLength(path) <= socketPathBytesMax) return path;
  const folder = new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 16);
  // Named after the folder's owner, so that a command of root finds the socket of the service.
  const owner = statSync(data, { throwIfNoEntry: false })?.uid ?? process.getuid?.() ?? 0;
  return join(temporarySocketFolder(owner), `${folder}-${name}.sock`);
}
