/**
 * Installs the S3 server for tests, Versity S3 Gateway, which verifies signatures: `node bin/bun.mjs
 * tests/support/install-s3-server.ts`. Tests call it too, so that they run without this step.
 */
import { join } from "node:path";
import { installGoPrograms } from "./install-go-programs.ts";

const gatewayVersion = "1.8.0";

/** Returns the program, and installs it first if necessary. Several processes may call it at once. */
export async function installS3Server(): Promise<string> {
  const source = `github.com/versity/versitygw/cmd/versitygw@v${gatewayVersion}`;
  return join(await installGoPrograms(`versitygw-${gatewayVersion}`, [source]), "versitygw");
}

if (import.meta.main) await installS3Server();
