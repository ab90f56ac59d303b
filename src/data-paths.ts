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

/** What the operating systems allow for the path of a socket, less a margin. */
const socketPathBytesMax = 100;

function adminSocket(data: string): string {
  const path = join(data, "admin.sock");
  if (Buffer.byteLength(path) <= socketPathBytesMax) return path;
  const name = new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 16);
  return join(tmpdir(), `waypost-${process.getuid?.() ?? 0}`, `${name}.sock`);
}
