import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** Paths inside the data folder. */
export function dataPaths(config: Pick<Config, "WAYPOST_DATA">) {
  const data = config.WAYPOST_DATA;
  return {
    data,
    sqlite: join(data, "waypost.sqlite"),
    clicks: join(data, "clicks.duckdb"),
    spool: join(data, "spool"),
    lock: join(data, "waypost.lock"),
    adminSocket: adminSocket(data),
  };
}

/** The folder of a redirect worker's spool; workers are numbered from 1. */
export function workerSpoolPath(config: Pick<Config, "WAYPOST_DATA">, index: number): string {
  return join(dataPaths(config).spool, `worker-${index}`);
}

/** The number of the worker whose spool has this folder name; undefined for any other name. */
export function workerSpoolIndex(name: string): number | undefined {
  const [, digits] = /^worker-([1-9]\d{0,3})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** What the operating systems allow for the path of a socket, less a margin. */
const socketPathBytesMax = 100;

function adminSocket(data: string): string {
  const path = join(data, "admin.sock");
  if (Buffer.byteLength(path) <= socketPathBytesMax) return path;
  const name = new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 16);
  return join(tmpdir(), `waypost-${process.getuid?.() ?? 0}`, `${name}.sock`);
}
