/**
 * Installs Pebble, the certificate authority for tests: `node bin/bun.mjs tests/support/install-pebble.ts`. Tests call
 * it too, so that they run without this step.
 */
import { join } from "node:path";
import { installGoPrograms } from "./install-go-programs.ts";

const pebbleVersion = "2.10.1";

/** The paths of Pebble and of its challenge server. */
type PebblePrograms = { pebble: string; challenges: string };

/** Returns the programs, and installs them first if necessary. Several processes may call it at once. */
export async function installPebble(): Promise<PebblePrograms> {
  const packages = ["pebble", "pebble-challtestsrv"].map(
    (name) => `github.com/letsencrypt/pebble/v2/cmd/${name}@v${pebbleVersion}`,
  );
  const folder = await installGoPrograms(`pebble-${pebbleVersion}`, packages);
  return { pebble: join(folder, "pebble"), challenges: join(folder, "pebble-challtestsrv") };
}

if (import.meta.main) await installPebble();
