import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import { devDependencies } from "../../package.json";

/** Names of the system's browsers, the preferred first. */
const systemNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

// Run as a program, this file only unpacks Chromium; see unpackedChromium.
if (import.meta.main) await sparticuz.executablePath();

/**
 * Opens a real browser: the system's Chromium, or the one in an npm package.
 * Throws when neither starts.
 */
export async function openBrowser(): Promise<Browser> {
  const system = systemNames.map((name) => Bun.which(name)).find((path) => path !== null);
  // In containers Chromium runs as root, which has no sandbox; every page here is ours. The package's own flags are for
  // cloud functions: they disable web security, including the Origin header that the dashboard needs, and run
  // everything in one process, which ends with the first closed window. Domains of tests are below example.com and
  // resolve to this machine.
  const args = ["--no-sandbox", "--host-resolver-rules=MAP *.example.com 127.0.0.1"];
  // Most people have classic scrollbars, which take space; Playwright hides them by default.
  const ignoreDefaultArgs = ["--hide-scrollbars"];
  return await chromium.launch({ executablePath: system ?? (await unpackedChromium()), args, ignoreDefaultArgs });
}

/**
 * The path of the package's Chromium, unpacked by the first call on a machine. The package unpacks in place into the
 * temporary folder, where another process could find a partial program. Instead, a separate process unpacks into a new
 * folder, which is then renamed.
 */
async function unpackedChromium(): Promise<string> {
  const folder = join(tmpdir(), `waypost-chromium-${devDependencies["@sparticuz/chromium"]}`);
  if (!existsSync(folder)) await unpackChromium(folder);
  return join(folder, "chromium");
}

async function unpackChromium(folder: string): Promise<void> {
  const newFolder = mkdtempSync(`${folder}-`);
  try {
    const unpacking = Bun.spawn([process.execPath, "--no-install", import.meta.path], {
      env: { ...process.env, TMPDIR: newFolder },
      stdout: "ignore",
      stderr: "inherit",
    });
    if ((await unpacking.exited) !== 0) throw new Error("Chromium could not be unpacked.");
    renameSync(newFolder, folder);
  } catch (error) {
    rmSync(newFolder, { recursive: true, force: true });
    // Another process was faster, or Chromium is missing.
    if (!existsSync(folder)) throw error;
  }
}
