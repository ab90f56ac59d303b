import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { messageOf } from "./base/message-of.ts";
import { readOrCreateTextFile, readTextFile } from "./base/text-file.ts";
import { type Config, ConfigError } from "./config.ts";
import { dataPaths } from "./data-paths.ts";

const secretBytes = 32;
/** The fewest characters of WAYPOST_SECRET. */
const charactersMin = 32;

/** The purpose of the seal of one-time codes and sign-ins in progress. */
export const signInPurpose = "sign-in";

type Options = Pick<Config, "WAYPOST_DATA" | "WAYPOST_SECRET">;

/**
 * Returns the secret from which the keys of every seal are derived (base/seal.ts): WAYPOST_SECRET, or the one in the
 * data folder. The first call creates that file; of several processes, all get the same secret.
 * Throws ConfigError when the file holds no secret.
 */
export function instanceSecret(config: Options): string {
  if (config.WAYPOST_SECRET !== undefined) return config.WAYPOST_SECRET;
  const path = dataPaths(config).secret;
  return requireSecret(
    path,
    readOrCreateTextFile(path, () => randomBytes(secretBytes).toString("base64url")),
  );
}

/** The secret, without creating it; undefined when there is none yet. Throws ConfigError when the file holds none. */
export function presentSecret(config: Options): string | undefined {
  if (config.WAYPOST_SECRET !== undefined) return config.WAYPOST_SECRET;
  const path = dataPaths(config).secret;
  const text = readTextFile(path);
  return text === undefined ? undefined : requireSecret(path, text);
}

/** Where the secret comes from: "option", or the file of the data folder with its problem, if any. */
export function inspectSecret(config: Options): { kind: "option" | "absent" } | { kind: "file"; problem?: string } {
  if (config.WAYPOST_SECRET !== undefined) return { kind: "option" };
  const path = dataPaths(config).secret;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { kind: "absent" };
    if ((found.mode & 0o077) !== 0) {
      return { kind: "file", problem: `other users of this machine can read ${path}; run chmod 600 on it` };
    }
    requireSecret(path, readTextFile(path) ?? "");
    return { kind: "file" };
  } catch (error) {
    return { kind: "file", problem: messageOf(error) };
  }
}

/**
 * Why a node cannot use its secret: with ClickHouse, nodes share a database, and a file belongs to one of them. Undefined when
 * it can. Names the file of a data folder whose clicks were moved, since another secret would lose what the file has encrypted.
 */
export function sharedSecretProblem(config: Options & Pick<Config, "WAYPOST_CLICKS_URL">): string | undefined {
  if (config.WAYPOST_CLICKS_URL === undefined || config.WAYPOST_SECRET !== undefined) return undefined;
  const path = dataPaths(config).secret;
  const advice = existsSync(path)
    ? `Set it to the contents of ${path}, which has encrypted certificates and one-time codes`
    : "Example: WAYPOST_SECRET=a-random-text-of-at-least-32-characters";
  return `WAYPOST_SECRET: it must be set with WAYPOST_CLICKS_URL, because all nodes that share a database need the same secret. ${advice}`;
}

function requireSecret(path: string, text: string): string {
  if (text.length >= charactersMin) return text;
  throw new ConfigError(
    `${path} holds no secret. Restore the file from a backup, or set WAYPOST_SECRET to its contents.`,
  );
}
