import { join } from "node:path";

const root = join(import.meta.dir, "../..");
/** Where a build of the dashboard lies. */
export const distFolder = join(root, "dashboard/dist");
/** The file in it that says what a page has to name. */
export const manifestName = "manifest.json";
/** Where the server answers with the files of `dist/assets`. */
export const assetsPath = "/app/assets/";

/** What a build consists of; files by their names in `dist/assets`. */
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
