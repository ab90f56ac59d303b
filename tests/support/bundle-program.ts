/**
 * The program in a few files, for the servers of a test run: from its sources a server loads some eight hundred modules,
 * which is a third of the processor's time that a start takes, and a run starts hundreds.
 *
 * 1. Nothing of the program knows of it: the files lie as deep in the repository as the sources that look for others
 *    beside themselves (`new URL("./pipeline-worker.ts", import.meta.url)`), and what they look for is there.
 * 2. Each run builds the bundle from the current sources, and removes it at its end.
 * 3. Commands through the launcher (`node bin/waypost.mjs …`) run from the sources, like those of users.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const repository = join(import.meta.dir, "../..");
const sources = join(repository, "src");

/** A bundle of the program, until it is removed. */
type ProgramBundle = {
  /** The file to run instead of `src/main.ts`. */
  mainFile: string;
  remove(): void;
};

/** Bundles the program. Throws AggregateError with the bundler's messages if a source has an error. */
export async function bundleProgram(): Promise<ProgramBundle> {
  const threads = Array.from(new Bun.Glob("**/*-worker.ts").scanSync({ cwd: sources }));
  // In the repository, because packages are resolved from the folders above the importing file.
  const folder = mkdtempSync(join(repository, ".bundle-"));
  try {
    await Bun.build({
      entrypoints: ["main.ts", "worker-main.ts", ...threads].map((file) => join(sources, file)),
      outdir: join(folder, "parts"),
      target: "bun",
      splitting: true,
      naming: { entry: "[name].[ext]" },
      // It has a file for each system; only one is installed.
      external: ["@duckdb/node-bindings"],
      throw: true,
    });
    for (const file of ["main.ts", "worker-main.ts"]) standIn(join(folder, file), "./parts");
    for (const file of threads) standIn(join(folder, "parts", basename(file)), ".");
    return { mainFile: join(folder, "main.ts"), remove: () => rmSync(folder, { recursive: true, force: true }) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A file by the name of a source, which runs its part of the bundle. */
function standIn(path: string, parts: string): void {
  writeFileSync(path, `import "${parts}/${basename(path, ".ts")}.js";\n`);
}
