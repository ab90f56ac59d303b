import { createHmac } from "node:crypto";
import { ConfigError } from "../config.ts";
import type { Db } from "../database/database.ts";
import { settleSetting } from "../database/settings.ts";

/** The setting with the fingerprint of the secret that the nodes share. */
const setting = "secretFingerprint";

/**
 * Throws ConfigError unless this node has the secret of the nodes that started before: with another one, it could not read the
 * private keys and sign-in secrets in the database. The first node's secret is remembered by a fingerprint.
 */
export async function requireSameSecret(db: Db, secret: string): Promise<void> {
  const fingerprint = createHmac("sha256", secret).update("waypost nodes").digest("hex");
  if ((await settleSetting(db, setting, fingerprint)) === fingerprint) return;
  throw new ConfigError(
    `WAYPOST_SECRET: the nodes that share this database have another secret. Set the same one on all of them. To change it on purpose, stop all nodes and delete the row ${setting} of the table settings.`,
  );
}
