/** Instances full of synthetic clicks, made by `waypost benchmark generate`. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { dataPaths } from "../../src/data-paths.ts";
import { ownerKey } from "./servers.ts";

const root = join(import.meta.dir, "../..");

/** The size of an instance. */
type InstanceSize = { clicks: number; links: number; workspaces: number };

/** A filled instance: its data folder, its files, its flat table, and the end of its clicks. */
export type Instance = InstanceSize & {
  data: string;
  sqlite: string;
  store: string;
  flat: string;
  at: number;
  /** How long filling took in seconds; undefined for an existing instance. */
  fillSeconds: number | undefined;
};

/** The folder of the instances. */
export class ReportFolder {
  readonly #folder: string;
  readonly #keep: boolean;
  /** Paths that `remove` deletes; existing instances are kept. */
  readonly #created: string[] = [];

  /** Without a name, it is a temporary folder, which is never kept. */
  constructor(folder: string, keep: boolean) {
    this.#keep = keep && folder !== "";
    if (folder === "") {
      this.#folder = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
      this.#created.push(this.#folder);
    } else {
      this.#folder = resolve(folder);
      mkdirSync(this.#folder, { recursive: true });
    }
  }

  /** Returns an existing instance of this size, or a new one. */
  instance(size: InstanceSize): Instance {
    const name = `${size.clicks}-${size.links}-${size.workspaces}`;
    const data = join(this.#folder, `data-${name}`);
    const metadataPath = join(data, "benchmark.json");
    const { sqlite, clicks: store } = dataPaths({ WAYPOST_DATA: data });
    const instance = { ...size, data, sqlite, store, flat: join(this.#folder, `flat-${name}.duckdb`) };
    if (existsSync(metadataPath)) {
      const { at } = JSON.parse(readFileSync(metadataPath, "utf8"));
      return { ...instance, at, fillSeconds: undefined };
    }
    // An interrupted run has left them.
    rmSync(data, { recursive: true, force: true });
    rmSync(instance.flat, { force: true });
    this.#created.push(data, instance.flat);
    const startedAt = performance.now();
    fillFolder(data, size);
    const fillSeconds = (performance.now() - startedAt) / 1_000;
    const at = Date.now();
    writeFileSync(metadataPath, JSON.stringify({ at }));
    return { ...instance, at, fillSeconds };
  }

  /** Removes new instances that are not kept. */
  remove(): void {
    if (this.#keep) return;
    for (const path of this.#created) rmSync(path, { recursive: true, force: true });
  }
}

/** Fills an empty data folder, with `ownerKey` as the owner's key. */
export function fillFolder(data: string, { clicks, links, workspaces }: InstanceSize): void {
  const args = ["--clicks", String(clicks), "--links", String(links), "--workspaces", String(workspaces)];
  const { exitCode } = Bun.spawnSync(["node", "bin/waypost.mjs", "benchmark", "generate", ...args], {
    cwd: root,
    env: { ...process.env, WAYPOST_DATA: data, WAYPOST_DATABASE_URL: "", WAYPOST_BOOTSTRAP_API_KEY: ownerKey },
    stdout: "ignore",
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error(`Filling ${data} ended with ${exitCode}.`);
}

/** Returns the bytes of an instance's click store, including its log. */
export function clickBytesOf({ data }: Instance): number {
  const files = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => name.startsWith("clicks"));
  return files.reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
}

/** Removes a closed file from the system's page cache; false where that is not possible. */
export function forgetPages(path: string): boolean {
  try {
    // Unwritten pages would stay in the cache.
    const file = openSync(path, "r");
    fsyncSync(file);
    closeSync(file);
    return Bun.spawnSync(["dd", `if=${path}`, "iflag=nocache", "count=0", "status=none"]).exitCode === 0;
  } catch {
    // Only GNU's dd can do it; the caller reports warm caches.
    return false;
  }
}
