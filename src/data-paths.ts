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
    /** Look-up files, which are made of the database and may be deleted while nothing runs. */
    lookup: join(data, "lookup"),
    clicks: join(data, "clicks.duckdb"),
    spool: join(data, "spool"),
    /** Files of exports under way; emptied at every start. */
    exports: join(data, "exports"),
    lock: join(data, "waypost.lock"),
    mainLock: join(data, "main.lock"),
    adminSocket: socketPath(data, "admin"),
    /** Where redirect workers hand on what is not theirs to the main process. */
    mainSocket: socketPath(data, "main"),
  };
}

/** The socket on which a redirect worker tells its numbers. */
export function workerSocketPath(config: Pick<Config, "WAYPOST_DATA">, index: number): string {
  return socketPath(config.WAYPOST_DATA, `worker-${index}`);
}

/** The folder of a redirect worker's spool; workers are numbered from 1. */
export function workerSpoolPath(config: Pick<Config, "WAYPOST_DATA">, index: number): string {
  return join(dataPaths(config).spool, `worker-${index}`);
}

/** The number of the worker whose spool has this folder name; undefined for any other name. */
function workerSpoolIndex(name: string): number | undefined {
  const [, digits] = /^worker-([1-9]\d{0,3})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The numbers of the workers that have a spool, in their order. */
export function workerSpoolIndexes(config: Pick<Config, "WAYPOST_DATA">): number[] {
  const { spool } = dataPaths(config);
  if (!existsSync(spool)) return [];
  return readdirSync(spool)
    .flatMap((name) => workerSpoolIndex(name) ?? [])
    .sort((left, right) => left - right);
}

/** What the operating systems allow for the path of a socket, less a margin. */
const socketPathBytesMax = 100;

function socketPath(data: string, name: string): string {
  const path = join(data, `${name}.sock`);
  if (Buffer.byteLength(path) <= socketPathBytesMax) return path;
  const folder = new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 16);
  // By the folder's owner, so that a command of root finds the socket of the service.
  const owner = statSync(data, { throwIfNoEntry: false })?.uid ?? process.getuid?.() ?? 0;
  return join(temporarySocketFolder(owner), `${folder}-${name}.sock`);
}
