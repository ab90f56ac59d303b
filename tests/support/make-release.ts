/**
 * Builds the artifacts of a release into the folder `release`: `npm run release`. They are the npm package with the built
 * dashboard, a list of all its dependencies (SBOM in CycloneDX), and SHA-256 sums. Publishes nothing.
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
import { join } from "node:path";
import { version } from "../../package.json";
import { run } from "./check-service.ts";
import { repository } from "./command.ts";

const release = join(repository, "release");
const reason = whyNot(await run(["git", "status", "--porcelain"], repository), version);
if (reason !== undefined) {
  console.error(reason);
  process.exit(1);
}
await build();
await requireInside(join(release, `waypost-${version}.tgz`));
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
  rmSync(release, { recursive: true, force: true });
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

/** Throws when a path in the tarball leads out of the package. */
async function requireInside(tarball: string): Promise<void> {
  const paths = (await run(["tar", "-tzPf", tarball], repository)).split("\n");
  const outside = paths.filter((path) => path.split("/").includes(".."));
  if (outside.length > 0) throw new Error(`The package holds paths outside of it: ${outside.join(", ")}`);
}

function sha256(path: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
}
