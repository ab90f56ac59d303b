import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import { devDependencies } from "../../package.json";

/** The names of the system's browser, best first. */
const systemNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

// As a program of its own, this file does nothing but unpack; see unpackedChromium.
if (import.meta.main) await sparticuz.executablePath();

/**
 * A real browser: the system's Chromium, or the one inside an npm package where the system has none.
 * Throws when neither starts; there is no test of a page without it.
 */
export async function openBrowser(): Promise<Browser> {
  const system = systemNames.map((name) => Bun.which(name)).find((path) => path !== null);
  // Containers run as root, whose Chromium takes no sandbox; every page it opens here is our own. The package's own
  // flags are for functions in a cloud: they switch off the web's security, and with it the Origin that the dashboard
  // asks for, and run everything in one process, which ends with the first window that is closed.
  // Short domains of tests are below example.com; a visitor's browser finds them on this machine.
  const args = ["--no-sandbox", "--host-resolver-rules=MAP *.example.com 127.0.0.1"];
  return await chromium.launch({ executablePath: system ?? (await unpackedChromium()), args });
}

/**
 * The path of the package's Chromium, unpacked at the first call on a machine. The package unpacks into the temporary
 * folder in place, where another process would find half a program; so a process of its own does it in a new folder,
 * which takes its place whole.
 */
async function unpackedChromium(): Promise<string> {
  const folder = join(tmpdir(), `waypost-chromium-${devDependencies["@sparticuz/chromium"]}`);
  if (!existsSync(folder)) await unpackChromium(folder);
  return join(folder, "chromium");
}

async function unpackChromium(folder: string): Promise<void> {
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const unpacking = Bun.spawn([process.execPath, "--no-install", import.meta.path], {
      env: { ...process.env, TMPDIR: fresh },
      stdout: "ignore",
      stderr: "inherit",
    });
    if ((await unpacking.exited) !== 0) throw new Error("Chromium could not be unpacked.");
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was quicker, or there is no Chromium.
    if (!existsSync(folder)) throw error;
  }
}
