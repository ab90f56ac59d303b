/**
 * Builds the artifacts of a release into the folder `release`: `npm run release`. They are the npm package with the built
 * dashboard, a list of all its dependencies (SBOM in CycloneDX), and SHA-256 sums. Publishes nothing.
 *
 * 1. Refuses a checkout with changes, and a version without a heading in CHANGELOG.md: "## 0.2.0" or "## 0.2.0 (date)".
 * 2. Builds from the commit, not from the working folder, so that no ignored file gets into the package.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
    symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
    await run(["npm", "pack", "--loglevel=error", "--pack-destination", release], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const bom = await run(["npm", "sbom", "--omit=dev", "--package-lock-only", "--sbom-format=cyclonedx"], repository);
  writeFileSync(join(release, `waypost-${version}.cdx.json`), bom);
  const sums = readdirSync(release).map((name) => `${sha256(join(release, name))}  ${name}\n`);
  writeFileSync(join(release, "SHA256SUMS"), sums.join(""));
}

function sha256(path: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
}
