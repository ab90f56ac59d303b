import { readdir } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
/**
 * The folder of the dashboard's builds. Each build is a folder named by its source hash, with a manifest and `assets`.
 * A build appears complete and never changes; earlier ones stay for a while, since open pages load more of their files.
 */
export const distFolder = join(root, "dashboard/dist");
/** The path under which the server serves `assets`. */
export const assetsPath = "/app/assets/";

const manifestName = "manifest.json";
const hashCharacters = 16;
const buildName = /^[0-9a-f]{16}$/;

/** The files of a build, by their names in `assets`. */
export type Manifest = {
  /** See sourceHash. */
  builtFrom: string;
  /** The first script. */
  script: string;
  /** Scripts that the first script imports at once. */
  parts: string[];
  style: string;
};

/**
 * package.json names exact versions; npm packs no package-lock.json, and an installed package must find its build.
 * Separate patterns: in a combined one with slashes, none would match.
 */
const sources = ["dashboard/src/**/*", "dashboard/*.ts", "sdk/*.ts", "package.json"];

/** A hash of the dashboard's sources; `folder` is the repository's root. */
export async function sourceHash(folder = root): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const paths = await Promise.all(
    sources.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: folder }))),
  );
  for (const path of paths.flat().filter(isBuilt).sort())
    hasher.update(path).update(await Bun.file(join(folder, path)).bytes());
  return hasher.digest("hex");
}

/** Tests are not built, and not in the package. */
function isBuilt(path: string): boolean {
  return !/\.test\.tsx?$/.test(path);
}

/** The folder of the build with this source hash, which may not exist. */
export function buildFolder(dist: string, builtFrom: string): string {
  return join(dist, builtFrom.slice(0, hashCharacters));
}

/** The folder names of the existing builds, in no order. */
export async function listBuilds(dist: string): Promise<string[]> {
  const names = await readdir(dist).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => buildName.test(name));
}

/** The manifest of the build with this source hash; undefined for none. */
export async function readManifest(dist: string, builtFrom: string): Promise<Manifest | undefined> {
  const file = Bun.file(join(buildFolder(dist, builtFrom), manifestName));
  // Only our own build writes this file, atomically.
  return (await file.exists()) ? ((await file.json()) as Manifest) : undefined;
}

/** Writes a build's manifest into its folder. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await Bun.write(join(folder, manifestName), JSON.stringify(manifest));
}

/** The path of a file of any build, whose name contains a hash of its content; undefined for an unknown name. */
export async function findAsset(dist: string, name: string): Promise<string | undefined> {
  for (const build of await listBuilds(dist)) {
    const path = join(dist, build, "assets", name);
    if (await Bun.file(path).exists()) return path;
  }
  return undefined;
}
