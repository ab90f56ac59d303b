/** Installs programs that tests need with Go, into a cache folder. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const installTimeoutMs = 15 * 60_000;

/**
 * Installs Go packages, such as `example.com/program@v1.0.0`, into the folder `name` of the cache, and returns the path of
 * the folder. Does nothing if the folder exists. Several processes may call it at once.
 */
export async function installGoPrograms(name: string, packages: readonly string[]): Promise<string> {
  const cache = join(homedir(), ".cache/waypost-tests");
  const folder = join(cache, name);
  if (!existsSync(folder)) await install({ cache, folder, packages });
  return folder;
}

type Installation = { cache: string; folder: string; packages: readonly string[] };

/** Installs into a temporary folder and renames it, so that no other process sees an incomplete installation. */
async function install({ cache, folder, packages }: Installation): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, "installing-"));
  try {
    const env = { ...process.env, GOBIN: temporary };
    const go = Bun.spawn(["go", "install", ...packages], { env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
    const timer = setTimeout(() => go.kill(), installTimeoutMs);
    const code = await go.exited;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`${packages.join(", ")} could not be installed; some tests need Go.`);
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
