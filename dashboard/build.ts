/**
 * Builds the dashboard into dashboard/dist: `npm run build`, which the service runs by itself
 * where what lies there is not made from the sources as they are.
 *
 * Every file but the manifest has a name made of its content, so that browsers may keep it for good. The build is made
 * in a folder of its own and takes its place whole, so that a server never sees half of one.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";
import { rolldown } from "rolldown";
import { assetsPath, distFolder, type Manifest, manifestName, sourceHash } from "../src/site/dashboard-files.ts";

const sources = join(import.meta.dir, "src");
/** The list of links is where people begin; what it takes is in the first file. */
const frame = /dashboard\/src\/(main|router|shell\/shell|links\/links-page)\b/;
const font = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";

if (import.meta.main) {
  const startedAt = performance.now();
  const { script } = await build();
  console.log(`Built the dashboard (${script}) in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}

/** Builds it, and returns what the page has to name. Throws with the compiler's words when a source has a mistake. */
export async function build(): Promise<Manifest> {
  const builtFrom = await sourceHash();
  const folder = mkdtempSync(join(import.meta.dir, ".dist-"));
  try {
    const assets = join(folder, "assets");
    mkdirSync(assets);
    const scripts = await buildScripts(assets);
    const manifest = { builtFrom, ...scripts, style: await buildStyle(assets) };
    await Bun.write(join(folder, manifestName), JSON.stringify(manifest));
    // mkdtemp makes it readable to its maker alone; another user may run the service.
    chmodSync(folder, 0o755);
    rmSync(distFolder, { recursive: true, force: true });
    renameSync(folder, distFolder);
    return manifest;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
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
