import { readdir } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
/**
 * Where builds of the dashboard lie, each in a folder named by what it was made from, with its manifest and `assets`. A
 * build appears whole and is never changed, and those before it stay a while: pages that are open load more of theirs.
 */
export const distFolder = join(root, "dashboard/dist");
/** Where the server answers with the files of `assets`. */
export const assetsPath = "/app/assets/";

const manifestName = "manifest.json";
const hashCharacters = 16;
const buildName = /^[0-9a-f]{16}$/;

/** What a build consists of; files by their names in its `assets`. */
export type Manifest = {
  /** See sourceHash. */
  builtFrom: string;
  /** The first script. */
  script: string;
  /** Scripts that it imports at once. */
  parts: string[];
  style: string;
};

/** One pattern each: where one of several holds a slash, none of them finds anything. */
const sources = ["dashboard/src/**/*", "dashboard/*.ts", "sdk/*.ts", "package-lock.json"];

/** A hash of everything that a build is made from, of which the paths begin at `folder`. */
export async function sourceHash(folder = root): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const paths = await Promise.all(
    sources.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: folder }))),
  );
  for (const path of paths.flat().sort()) hasher.update(path).update(await Bun.file(join(folder, path)).bytes());
  return hasher.digest("hex");
}

/** The folder of the build of these sources, which need not be there. */
export function buildFolder(dist: string, builtFrom: string): string {
  return join(dist, builtFrom.slice(0, hashCharacters));
}

/** The builds there are, by the names of their folders, in no order. */
export async function listBuilds(dist: string): Promise<string[]> {
  const names = await readdir(dist).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => buildName.test(name));
}

/** What the build of these sources consists of; undefined where there is none. */
export async function readManifest(dist: string, builtFrom: string): Promise<Manifest | undefined> {
  const file = Bun.file(join(buildFolder(dist, builtFrom), manifestName));
  // Only our own build writes it, whole.
  return (await file.exists()) ? ((await file.json()) as Manifest) : undefined;
}

/** Writes what a build consists of into its folder. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await Bun.write(join(folder, manifestName), JSON.stringify(manifest));
}

/** Where a file of a build lies: of whatever build, for its name is made of its content; undefined for no file of one. */
export async function findAsset(dist: string, name: string): Promise<string | undefined> {
  for (const build of await listBuilds(dist)) {
    const path = join(dist, build, "assets", name);
    if (await Bun.file(path).exists()) return path;
  }
  return undefined;
}
