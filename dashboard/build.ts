/**
 * Builds the dashboard into dashboard/dist: `npm run build`, which the service runs by itself
 * where none of those there is made from the sources as they are.
 *
 * Every file but the manifest has a name made of its content, so that browsers may keep it for good. The build is made
 * in a folder of its own and appears whole beside those before it, so that no server ever sees half of one, or none.
 */
import { cpSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
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

// Public files: another user may run the service later, and the one that starts this build keeps new files to itself.
process.umask(0o022);

const sources = join(import.meta.dir, "src");
/** The list of links is where people begin; what it takes is in the first file. */
const frame = /dashboard\/src\/(main|router|shell\/shell|links\/links-page)\b/;
const font = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";

/** Another build takes seconds; who waits is told before the service, which began this one, gives up. */
const waitMsMax = 100_000;
/** Builds that are kept, the new one included: an open page asks for more of the files it began with. */
const buildsKept = 4;

if (import.meta.main) {
  const startedAt = performance.now();
  const { script } = await build(process.argv[2]);
  console.log(`Built the dashboard (${script}) in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}

/**
 * Builds it unless that was done already, and returns what a page has to name. Throws with the compiler's words when a
 * source has a mistake.
 * Guarantee: of several begun at a time, of the same sources, one builds and the others wait for it.
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
  // What a build left that was killed.
  rmSync(folder, { recursive: true, force: true });
  const assets = join(folder, "assets");
  mkdirSync(assets, { recursive: true });
  const scripts = await buildScripts(assets);
  const manifest = { builtFrom, ...scripts, style: await buildStyle(assets) };
  await writeManifest(folder, manifest);
  renameSync(folder, buildFolder(dist, builtFrom));
  return manifest;
}

/** Removes the oldest builds, and keeps the present one for the longest, whenever it was made. */
async function removeOld(dist: string, builtFrom: string): Promise<void> {
  const now = new Date();
  utimesSync(buildFolder(dist, builtFrom), now, now);
  const folders = (await listBuilds(dist)).map((name) => join(dist, name));
  const newestFirst = folders.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const folder of newestFirst.slice(buildsKept)) rmSync(folder, { recursive: true, force: true });
}

/**
 * The scripts, by Rolldown: Bun's own bundler cuts what pages share into dozens of small files, which are a tenth more
 * to load. What the first page needs is one file; every other page has its own, and what some of them share.
 */
async function buildScripts(outdir: string): Promise<Pick<Manifest, "script" | "parts">> {
  const bundle = await rolldown({
    input: join(sources, "main.tsx"),
    platform: "browser",
    logLevel: "silent",
    transform: { define: { "process.env.NODE_ENV": JSON.stringify("production") } },
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
    // What the entry imports at once, and what that imports; the rest is loaded when a page needs it.
    const parts = new Set(entry.imports);
    for (const part of parts) for (const deeper of chunks.get(part)?.imports ?? []) parts.add(deeper);
    return { script: entry.fileName, parts: [...parts] };
  } finally {
    await bundle.close();
  }
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
