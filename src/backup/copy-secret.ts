import { createHmac } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { readTextFile } from "../base/text-file.ts";
import { secretName } from "./archive-format.ts";

/** The secret of a backup: whether its file is included, a fingerprint that does not reveal it, and the copied files. */
export type CopiedSecret = { kind: "included" | "excluded" | "none"; fingerprint: string; files: readonly string[] };

/**
 * Copies the secret's file of the data folder into `folder`, if there is one and `isIncluded`. The caller includes it
 * in encrypted backups only: with it, the thief of a backup could use the private keys in the database.
 */
export function copySecret(data: string, folder: string, isIncluded: boolean): CopiedSecret {
  const fingerprint = fingerprintIn(data);
  if (fingerprint === "") return { kind: "none", fingerprint, files: [] };
  if (!isIncluded) return { kind: "excluded", fingerprint, files: [] };
  copyFileSync(join(data, secretName), join(folder, secretName));
  return { kind: "included", fingerprint, files: [secretName] };
}

/** The fingerprint of the secret in a folder; "" when it has none. */
export function fingerprintIn(folder: string): string {
  const text = readTextFile(join(folder, secretName));
  if (text === undefined) return "";
  return createHmac("sha256", text).update("waypost backup").digest("hex").slice(0, 32);
}
