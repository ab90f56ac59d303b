/**
 * Builds the artifacts of a release into the folder `release`: `npm run release`. They are the npm package with the built
 * dashboard, a list of all its dependencies (SBOM in CycloneDX), and SHA-256 sums. Publishes nothing.
 * `npm run release -- --trial FOLDER` builds the last commit into a new folder, whether or not it can be released.
 *
 * 1. Refuses a checkout with changes, and a version without a heading in CHANGELOG.md: "## 0.2.0" or "## 0.2.0 (date)".
 * 2. Builds from the commit, not from the working folder, so that no ignored file gets into the package.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../package.json";
import { run } from "./check-service.ts";
import { repository } from "./command.ts";

const { trial } = parseArgs({ options: { trial: { type: "string" } } }).values;
const release = trial === undefined ? join(repository, "release") : resolve(trial);
const reason =
  trial === undefined ? whyNot(await run(["git", "status", "--porcelain"], repository), version) : undefined;
if (reason !== undefined) {
  console.error(reason);
  process.exit(1);
}
await build();
const paths = (await run(["tar", "-tzPf", join(release, `waypost-${version}.tgz`)], repository)).split("\n");
requireInside(paths);
requireDashboard(paths);
console.log(
  `The release ${version} is in ${release}. Check it: node bin/bun.mjs tests/support/check-package.ts TARBALL`,
);

function whyNot(changes: string, released: string): string | undefined {
  if (changes !== "") return `Commit these changes first:\n${changes}`;
  const changelog = readFileSync(join(repository, "CHANGELOG.md"), "utf8");
  const headings = Array.from(changelog.matchAll(/^## (\d+\.\d+\.\d+\S*)/gm), ([, heading]) => heading);
  if (headings[0] === released) return undefined;
  return `CHANGELOG.md must begin with the section "## ${released}", the version in package.json; it has ${headings[0] ?? "no version"}.`;
}

async function build(): Promise<void> {
  // The folder of a trial is the caller's: nothing in it is removed.
  if (trial === undefined) rmSync(release, { recursive: true, force: true });
  mkdirSync(release);
  const folder = mkdtempSync(join(tmpdir(), "waypost-release-"));
  try {
    await run(["sh", "-ec", `git archive HEAD | tar -x -C "${folder}"`], repository);
    // Copied, because npm packs a bundled package that is a link out of the folder under a path that no npm unpacks.
    const packages = realpathSync(join(repository, "node_modules"));
    cpSync(packages, join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true });
    await run(["npm", "pack", "--loglevel=error", "--pack-destination", release], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const bom = await run(["npm", "sbom", "--omit=dev", "--package-lock-only", "--sbom-format=cyclonedx"], repository);
  writeFileSync(join(release, `waypost-${version}.cdx.json`), bom);
  const sums = readdirSync(release).map((name) => `${sha256(join(release, name))}  ${name}\n`);
  writeFileSync(join(release, "SHA256SUMS"), sums.join(""));
}

/** Throws when a path leads out of the package. */
function requireInside(paths: readonly string[]): void {
  const outside = paths.filter((path) => path.split("/").includes(".."));
  if (outside.length > 0) throw new Error(`The package holds paths outside of it: ${outside.join(", ")}`);
}

/** Throws when the package lacks the built dashboard; check-package.ts shows that it is served. */
function requireDashboard(paths: readonly string[]): void {
  const isScript = (path: string) => /^package\/dashboard\/dist\/.*main-[\w-]+\.js$/.test(path);
  if (!paths.some(isScript)) throw new Error("The package holds no built dashboard.");
}

function sha256(path: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
}
