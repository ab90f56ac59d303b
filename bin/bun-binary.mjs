import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:process";

// Bun comes as one npm package per platform, so it needs no install script: npm picks the package by "os", "cpu" and
// "libc". Where install scripts run, the script of the `bun` package moves the binary to bun/bin/bun.exe on every platform;
// otherwise that file is a short placeholder.

const require = createRequire(import.meta.url);

/** A binary is far larger, the placeholder far smaller. */
const binaryBytesMin = 1_000_000;

const osNames = { android: "linux", win32: "windows" };
const archNames = { arm64: "aarch64" };

/**
 * Returns the path of the Bun binary that npm installed for this machine.
 * Throws Error with a one-line message that names the missing package and the remedy.
 */
export function findBunBinary() {
  const names = bunPackageNames();
  const file = platform === "win32" ? "bun.exe" : "bun";
  const found = [...names.map((name) => `${name}/bin/${file}`), "bun/bin/bun.exe"].flatMap(installedBinary);
  const [binary] = found.length > 1 && isMusl() ? found.filter((path) => path.includes("-musl")).concat(found) : found;
  if (binary === undefined) throw new Error(missingMessage(names));
  return binary;
}

/** Lists the packages that may hold this machine's binary, best first; "baseline" is for x64 processors without AVX2. */
function bunPackageNames() {
  const base = `@oven/bun-${osNames[platform] ?? platform}-${archNames[arch] ?? arch}`;
  if (platform === "android") return [`${base}-android`];
  const variants = platform === "linux" ? [base, `${base}-musl`] : [base];
  return arch === "x64" ? variants.flatMap((name) => [name, `${name}-baseline`]) : variants;
}

function installedBinary(request) {
  try {
    const path = require.resolve(request);
    return statSync(path).size >= binaryBytesMin ? [path] : [];
  } catch {
    // The package is not installed; the caller tries the next one.
    return [];
  }
}

/** Called only when the binaries of both C libraries are installed, because the report takes milliseconds. */
function isMusl() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function missingMessage([name]) {
  return (
    `waypost: the Bun runtime is missing (npm package ${name} for ${platform} ${arch}). ` +
    "Run `npm ci` again in Waypost's folder, on this machine and without --omit=optional."
  );
}
