/**
 * Installs Pebble, the certificate authority for tests, by Go into a cache folder:
 * `node bin/bun.mjs tests/support/install-pebble.ts`. Tests call it too, so that they run without this step.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const pebbleVersion = "2.10.1";
const installMsMax = 15 * 60_000;

/** The paths of Pebble and of its challenge server. */
type PebblePrograms = { pebble: string; challenges: string };

/** Returns the programs, and installs them first if necessary. Several processes may call it at once. */
export async function installPebble(): Promise<PebblePrograms> {
  const cache = join(homedir(), ".cache/waypost-tests");
  const folder = join(cache, `pebble-${pebbleVersion}`);
  if (!existsSync(folder)) await install(cache, folder);
  return { pebble: join(folder, "pebble"), challenges: join(folder, "pebble-challtestsrv") };
}

/** Moves a complete installation into place, so that no other process sees a part of it. */
async function install(cache: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, "installing-"));
  try {
    const packages = ["pebble", "pebble-challtestsrv"].map(
      (name) => `github.com/letsencrypt/pebble/v2/cmd/${name}@v${pebbleVersion}`,
    );
    const env = { ...process.env, GOBIN: temporary };
    const go = Bun.spawn(["go", "install", ...packages], { env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
    const timer = setTimeout(() => go.kill(), installMsMax);
    const code = await go.exited;
    clearTimeout(timer);
    if (code !== 0) throw new Error("Pebble could not be installed; the tests of certificates need Go.");
    try {
      renameSync(temporary, folder);
    } catch (error) {
      // Another process was first.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (import.meta.main) await installPebble();
