/**
 * Bundles the program into a few files for the servers of a test run, and for the services in the processes of the tests
 * (service.ts). A server that runs from the sources loads about eight hundred modules, which takes a third of the
 * processor time of a start, and a run starts many servers.
 *
 * 1. The program needs no change for the bundle. Sources that load a file beside themselves
 *    (`new URL("./pipeline-worker.ts", import.meta.url)`) find one with that name beside the bundle, and the bundle is
 *    as deep in the repository as the sources.
 * 2. Each run builds the bundle from the current sources, and removes it at the end.
 * 3. Commands through the launcher (`node bin/waypost.mjs …`) run from the sources, like those of users.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  const workers = Array.from(new Bun.Glob("**/*-worker.ts").scanSync({ cwd: sources }));
  // In the repository, because packages are resolved from the folders above the importing file.
  const folder = mkdtempSync(join(repository, ".bundle-"));
  // Some servers run as another user.
  chmodSync(folder, 0o755);
  try {
    await Bun.build({
      entrypoints: ["main.ts", "worker-main.ts", "cli/serve.ts", ...workers].map((file) => join(sources, file)),
      outdir: join(folder, "parts"),
      target: "bun",
      splitting: true,
      naming: { entry: "[name].[ext]" },
      // This package has a file for each platform, and only one is installed.
      external: ["@duckdb/node-bindings"],
      throw: true,
    });
    for (const file of ["main.ts", "worker-main.ts"]) writeStub(join(folder, file), "./parts");
    for (const file of workers) writeStub(join(folder, "parts", basename(file)), ".");
    return { mainFile: join(folder, "main.ts"), remove: () => rmSync(folder, { recursive: true, force: true }) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Writes a file with the name of a source that runs that source's part of the bundle. */
function writeStub(path: string, parts: string): void {
  writeFileSync(path, `import "${parts}/${basename(path, ".ts")}.js";\n`);
}
