/**
 * Builds the dashboard into dashboard/dist: `npm run build`. The service runs it when no existing build matches the
 * current sources.
 *
 * File names contain a hash of their content, except the manifest's, so that browsers can cache files for good. A build
 * is made in a separate folder and then renamed, so that no server ever sees a partial build.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";
import { rolldown } from "rolldown";
import { lockFileWithin } from "../src/base/file-lock.ts";
import {
  assetsPath,
  buildFolder,
  distFolder,
  listBuilds,
  type Manifest,
  readManifest,
  sourceHash,
  writeManifest,
} from "../src/site/dashboard-files.ts";
import { writeBrands } from "./brand-files.ts";

// The files are public: another user may run the service later, while the service that starts this build creates
// private files.
process.umask(0o022);

const sources = join(import.meta.dir, "src");
/** People start at the list of links, so its scripts are in the first file. */
const frame = /dashboard\/src\/(main|router|shell\/shell|links\/links-page)\b/;
const flags = "circle-flags/package.json";
const font = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";

/** Another build takes seconds; this limit ends before the service's own. */
const waitMsMax = 100_000;
/** Builds to keep, including the new one: open pages still load files of older ones. */
const buildsKept = 4;

if (import.meta.main) {
  const startedAt = performance.now();
  const { script } = await build(process.argv[2]);
  console.log(`Built the dashboard (${script}) in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}

/**
 * Builds the dashboard unless the current build exists, and returns the files that a page names. Throws the compiler's
 * message for a source error.
 * Guarantee: of concurrent calls for the same sources, one builds and the others wait.
 */
export async function build(dist = distFolder): Promise<Manifest> {
  mkdirSync(dist, { recursive: true });
  const held = await lockFileWithin(join(dist, ".lock"), waitMsMax);
  if (held === undefined) throw new Error("Another build of the dashboard does not end.");
  try {
    const builtFrom = await sourceHash();
    const manifest = (await readManifest(dist, builtFrom)) ?? (await make(dist, builtFrom));
    await removeOld(dist, builtFrom);
    return manifest;
  } finally {
    held.release();
  }
}

async function make(dist: string, builtFrom: string): Promise<Manifest> {
  const folder = join(dist, ".making");
  // A killed build leaves this folder.
  rmSync(folder, { recursive: true, force: true });
  const assets = join(folder, "assets");
  mkdirSync(assets, { recursive: true });
  const scripts = await buildScripts(assets, {
    flagUrlParts: await copyFlags(assets),
    brandUrlParts: await writeBrands(assets),
  });
  const manifest = { builtFrom, ...scripts, style: await buildStyle(assets) };
  await writeManifest(folder, manifest);
  renameSync(folder, buildFolder(dist, builtFrom));
  return manifest;
}

/** Removes the oldest builds. The current one counts as the newest, whenever it was made. */
async function removeOld(dist: string, builtFrom: string): Promise<void> {
  const now = new Date();
  utimesSync(buildFolder(dist, builtFrom), now, now);
  const folders = (await listBuilds(dist)).map((name) => join(dist, name));
  const newestFirst = folders.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const folder of newestFirst.slice(buildsKept)) rmSync(folder, { recursive: true, force: true });
}

/**
 * Builds the scripts with Rolldown; Bun's bundler splits shared code into dozens of small files, a tenth larger in
 * total. The first page is one file; other pages have their own files and shared ones. `constants` are the values of
 * the globals that the scripts declare.
 */
async function buildScripts(
  outdir: string,
  constants: Record<string, unknown>,
): Promise<Pick<Manifest, "script" | "parts">> {
  const bundle = await rolldown({
    input: join(sources, "main.tsx"),
    platform: "browser",
    logLevel: "silent",
    transform: {
      define: {
        "process.env.NODE_ENV": JSON.stringify("production"),
        ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)])),
      },
    },
  });
  try {
    const { output } = await bundle.write({
      dir: outdir,
      format: "esm",
      minify: true,
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "part-[hash].js",
      codeSplitting: { groups: [{ name: "frame", test: frame }] },
    });
    const chunks = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])));
    const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error("The bundler made no entry point.");
    // The entry's static imports and theirs; other files load when a page needs them.
    const parts = new Set(entry.imports);
    for (const part of parts) for (const deeper of chunks.get(part)?.imports ?? []) parts.add(deeper);
    return { script: entry.fileName, parts: [...parts] };
  } finally {
    await bundle.close();
  }
}

/** Copies the flags of all countries, and returns their URLs: a page loads only the flags that it shows. */
async function copyFlags(outdir: string): Promise<{ before: string; after: string }> {
  const folder = join(Bun.resolveSync(flags, import.meta.dir), "../flags");
  const names = readdirSync(folder).filter((name) => /^[a-z]{2}\.svg$/.test(name));
  const hasher = new Bun.CryptoHasher("sha256");
  for (const name of names.sort()) hasher.update(name).update(readFileSync(join(folder, name)));
  const after = `-${hasher.digest("hex").slice(0, 10)}.svg`;
  for (const name of names) cpSync(join(folder, name), join(outdir, `flag-${name.slice(0, 2)}${after}`));
  return { before: `${assetsPath}flag-`, after };
}

async function buildStyle(outdir: string): Promise<string> {
  const fontFile = await copyNamed(Bun.resolveSync(font, import.meta.dir), "inter", "woff2", outdir);
  const source = await Bun.file(join(sources, "style.css")).text();
  const compiler = await compile(source, { base: sources, onDependency() {} });
  const scanner = new Scanner({ sources: [{ base: sources, pattern: "**/*.{ts,tsx}", negated: false }] });
  const { code } = optimize(compiler.build(scanner.scan()), { minify: true });
  const style = code.replaceAll("inter.woff2", `${assetsPath}${fontFile}`);
  const name = `style-${contentHash(new TextEncoder().encode(style))}.css`;
  await Bun.write(join(outdir, name), style);
  return name;
}

async function copyNamed(path: string, name: string, extension: string, outdir: string): Promise<string> {
  const file = `${name}-${contentHash(await Bun.file(path).bytes())}.${extension}`;
  cpSync(path, join(outdir, file));
  return file;
}

function contentHash(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 10);
}
