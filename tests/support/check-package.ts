/**
 * Checks the npm package: `node bin/bun.mjs tests/support/check-package.ts [TARBALL]`. Packs Waypost unless a tarball is
 * given, installs it in an empty folder with npm alone, and checks its command and service. Needs the npm registry.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkService, run } from "./check-service.ts";
import { repository } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-package-"));
try {
  const tarball = process.argv[2] === undefined ? await pack() : resolve(process.argv[2]);
  console.log(`${tarball}: ${(statSync(tarball).size / 1_000_000).toFixed(1)} MB`);
  const cwd = join(folder, "empty");
  const data = join(folder, "data");
  for (const path of [cwd, data]) mkdirSync(path);
  writeFileSync(join(cwd, "package.json"), "{}");
  await run(["npm", "install", "--no-audit", "--no-fund", tarball], cwd);
  requireNoReports(cwd);
  console.log(await run(["npx", "--no-install", "waypost", "--version"], cwd));
  // The command that npx finds; a signal to npx itself would not reach it.
  await checkService({ command: [join(cwd, "node_modules/.bin/waypost"), "serve"], cwd, data });
} finally {
  rmSync(folder, { recursive: true });
}

/** A package that others need reports installations to its makers; ours brings a stub in its place (stubs/scarf). */
function requireNoReports(cwd: string): void {
  const manifests = Array.from(new Bun.Glob("**/node_modules/@scarf/*/package.json").scanSync({ cwd }));
  if (manifests.length === 0) throw new Error("The stub of @scarf/scarf is missing.");
  for (const path of manifests) {
    const { scripts } = JSON.parse(readFileSync(join(cwd, path), "utf8"));
    if (scripts !== undefined) throw new Error(`${path} has scripts: it is not the stub.`);
  }
}

async function pack(): Promise<string> {
  await run(["npm", "pack", "--loglevel=error", "--pack-destination", folder], repository);
  const [name = ""] = readdirSync(folder);
  return join(folder, name);
}
