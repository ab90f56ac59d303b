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

/** How much is made. */
export type InstanceSize = { clicks: number; links: number; workspaces: number };

/** A filled instance: its data folder, its files, the flat table beside it, and when its clicks end. */
export type Instance = InstanceSize & {
  data: string;
  sqlite: string;
  store: string;
  flat: string;
  at: number;
  /** Seconds that filling took; undefined where it was there already. */
  fillSeconds: number | undefined;
};

/** The folder that instances lie in. */
export class ReportFolder {
  readonly #folder: string;
  readonly #keep: boolean;
  /** What goes with `remove`: nothing that was there before. */
  readonly #made: string[] = [];

  /** A folder of the system's, which is never kept, where none is named. */
  constructor(folder: string, keep: boolean) {
    this.#keep = keep && folder !== "";
    if (folder === "") {
      this.#folder = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
      this.#made.push(this.#folder);
    } else {
      this.#folder = resolve(folder);
      mkdirSync(this.#folder, { recursive: true });
    }
  }

  /** The instance of this size: the one that was kept, or a new one. */
  instance(size: InstanceSize): Instance {
    const name = `${size.clicks}-${size.links}-${size.workspaces}`;
    const data = join(this.#folder, `data-${name}`);
    const note = join(data, "benchmark.json");
    const { sqlite, clicks: store } = dataPaths({ WAYPOST_DATA: data });
    const place = { ...size, data, sqlite, store, flat: join(this.#folder, `flat-${name}.duckdb`) };
    if (existsSync(note)) return { ...place, at: JSON.parse(readFileSync(note, "utf8")).at, fillSeconds: undefined };
    // Of a run that was interrupted.
    rmSync(data, { recursive: true, force: true });
    rmSync(place.flat, { force: true });
    this.#made.push(data, place.flat);
    const startedAt = performance.now();
    fillFolder(data, size);
    const fillSeconds = (performance.now() - startedAt) / 1_000;
    const at = Date.now();
    writeFileSync(note, JSON.stringify({ at }));
    return { ...place, at, fillSeconds };
  }

  /** Removes what was made and is not to be kept. */
  remove(): void {
    if (this.#keep) return;
    for (const path of this.#made) rmSync(path, { recursive: true, force: true });
  }
}

/** Fills an empty data folder; its owner has `ownerKey`. */
export function fillFolder(data: string, { clicks, links, workspaces }: InstanceSize): void {
  const words = ["--clicks", String(clicks), "--links", String(links), "--workspaces", String(workspaces)];
  const { exitCode } = Bun.spawnSync(["node", "bin/waypost.mjs", "benchmark", "generate", ...words], {
    cwd: root,
    env: { ...process.env, WAYPOST_DATA: data, WAYPOST_DATABASE_URL: "", WAYPOST_BOOTSTRAP_API_KEY: ownerKey },
    stdout: "ignore",
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error(`Filling ${data} ended with ${exitCode}.`);
}

/** Bytes of the files that hold an instance's clicks, its log included. */
export function clickBytesOf({ data }: Instance): number {
  const files = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => name.startsWith("clicks"));
  return files.reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
}

/** Makes the system forget what it holds in memory of a file that nobody has open, and of no other; false where it cannot. */
export function forgetPages(path: string): boolean {
  try {
    // What is not on the disk yet is not forgotten.
    const file = openSync(path, "r");
    fsyncSync(file);
    closeSync(file);
    return Bun.spawnSync(["dd", `if=${path}`, "iflag=nocache", "count=0", "status=none"]).exitCode === 0;
  } catch {
    // Only GNU's dd knows how; the caller says that the caches were warm.
    return false;
  }
}
