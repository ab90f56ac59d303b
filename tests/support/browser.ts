import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
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
 * Opens a real browser: the system's Chromium, or the one in an npm package. It trusts the usual authorities only.
 * Throws when neither starts.
 */
export async function openBrowser(): Promise<Browser> {
  return await launch(process.env);
}

/**
 * Opens a browser that also trusts the authority of a root certificate in PEM, which `certutil` of Debian's libnss3-tools
 * puts into the certificate database of a new home folder.
 */
export async function openTrustingBrowser(rootFile: string): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), "waypost-browser-home-"));
  const database = join(home, ".pki/nssdb");
  mkdirSync(database, { recursive: true });
  certutil(database, "-N", "--empty-password");
  certutil(database, "-A", "-t", "C,,", "-n", "tested authority", "-i", rootFile);
  const browser = await launch({ ...process.env, HOME: home });
  browser.on("disconnected", () => rmSync(home, { recursive: true, force: true }));
  return browser;
}

function certutil(database: string, ...words: string[]): void {
  if (Bun.which("certutil") === null) throw new Error("certutil is not installed (Debian package libnss3-tools).");
  const { exitCode, stderr } = Bun.spawnSync(["certutil", "-d", `sql:${database}`, ...words]);
  if (exitCode !== 0) throw new Error(`certutil: ${stderr.toString()}`);
}

async function launch(environment: Record<string, string | undefined>): Promise<Browser> {
  const system = systemNames.map((name) => Bun.which(name)).find((path) => path !== null);
  // In containers Chromium runs as root, which has no sandbox; every page here is ours. The package's own flags are for
  // cloud functions: they disable web security, including the Origin header that the dashboard needs, and run
  // everything in one process, which ends with the first closed window. Domains of tests are below example.com and
  // example.net, and resolve to this machine.
  const hosts = "MAP *.example.com 127.0.0.1, MAP *.example.net 127.0.0.1";
  const args = ["--no-sandbox", `--host-resolver-rules=${hosts}`];
  // Most people have classic scrollbars, which take space; Playwright hides them by default.
  const ignoreDefaultArgs = ["--hide-scrollbars"];
  const executablePath = system ?? (await unpackedChromium());
  return await chromium.launch({ executablePath, args, ignoreDefaultArgs, env: environment });
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
