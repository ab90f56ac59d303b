import { accessSync, constants, createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, secretName } from "../backup/archive-format.ts";
import { decrypt, identitiesOf, type Keys, readSecretFile } from "../backup/encryption.ts";
import { DamagedBackup } from "../backup/read-archive.ts";
import { type RestoreObserver, restoreBackup } from "../backup/restore-backup.ts";
import { readS3Object } from "../backup/s3-storage.ts";
import { verifyBackup } from "../backup/verify-backup.ts";
import { diskFailureOf } from "../base/disk-failure.ts";
import { isMissing } from "../base/is-missing.ts";
import { messageOf } from "../base/message-of.ts";
import { type BackupPlace, backupPlace } from "../base/option-parsers.ts";
import { Problem } from "../base/problem.ts";
import { webStreamOf } from "../base/web-stream.ts";
import { type Config, readConfig } from "../config.ts";
import { isPostgresEmpty } from "../database/postgres-copy.ts";
import { CliError } from "./cli-error.ts";
import { requireEmptyFolder } from "./data-files.ts";
import { folderInUseError, lockFolderForRestore } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { withDatabaseLock } from "./lock-database.ts";
import { Progress } from "./progress.ts";

/** The files with the key or the passphrase of an encrypted backup. */
export type KeyOptions = { identityFile?: string; passphraseFile?: string };

const noSecret =
  "The backup does not include the file secret, which opens certificates and one-time codes. If waypost doctor finds some in the database, copy that file from the former data folder before the first start.\n";

const secretOfOption =
  "The service had no file secret, but perhaps WAYPOST_SECRET: set it to the same value before the first start.\n";

/** Bytes of one read. */
const chunkBytesMax = 256 * 1024;

/** Verifies a backup and prints what it holds as one line of JSON. Throws CliError for a damaged backup. */
export async function printVerified(file: string, options: KeyOptions): Promise<void> {
  const archive = await openBackup(file, options);
  print(await explained(file, () => verifyBackup(archive, observer())));
}

/**
 * Restores a backup into the empty data folder, and prints what it held as one line of JSON.
 * Throws CliError for a folder or database that is not empty or is in use, and for a damaged backup.
 */
export async function restore(file: string, options: KeyOptions): Promise<void> {
  const config = readConfig();
  requireEmptyFolder(config);
  const archive = await openBackup(file, options);
  const held = lockFolderForRestore(config);
  if (held === undefined) throw folderInUseError(config);
  try {
    const manifest = await withDatabaseLock(
      config,
      async () => {
        const url = config.WAYPOST_DATABASE_URL;
        if (url !== undefined && !(await isPostgresEmpty(url))) {
          throw new CliError("WAYPOST_DATABASE_URL: the database is not empty. Restore into an empty database.");
        }
        return await explained(file, () => restoreBackup(config, archive, observer()));
      },
      { alone: true },
    );
    print(manifest);
    process.stderr.write(secretAdvice(manifest, config));
    process.stderr.write("The backup is restored. Start Waypost: its first start migrates older data.\n");
  } catch (error) {
    throw explainFailure(error, config);
  } finally {
    held.release();
  }
}

/** What is missing before the first start; empty if nothing is. */
function secretAdvice({ secret }: Manifest, config: Config): string {
  if (config.WAYPOST_SECRET !== undefined || existsSync(join(config.WAYPOST_DATA, secretName))) return "";
  return secret === "none" ? secretOfOption : noSecret;
}

async function openBackup(file: string, { identityFile, passphraseFile }: KeyOptions) {
  const keys: Keys = {
    identities: identityFile === undefined ? [] : identitiesIn(identityFile),
    passphrase: passphraseFile === undefined ? undefined : readSecretFile(passphraseFile),
  };
  return await decrypt(webStreamOf(chunksOf(file)), keys);
}

function identitiesIn(file: string): string[] {
  const identities = identitiesOf(readSecretFile(file));
  if (identities.length > 0) return identities;
  throw new CliError(`${file} holds no key of age, a line that begins with AGE-SECRET-KEY-.`);
}

function chunksOf(file: string): AsyncIterable<Uint8Array> {
  if (file.startsWith("s3://")) return readS3Object(objectOf(file), readConfig());
  requireReadableFile(file);
  return createReadStream(file, { highWaterMark: chunkBytesMax });
}

function objectOf(address: string): Extract<BackupPlace, { kind: "s3" }> {
  try {
    const object = backupPlace(address);
    if (object.kind === "s3" && object.prefix !== "") return object;
  } catch {
    // The parser's message is about a place for new backups.
  }
  throw new CliError(`${address} is not the address of a backup, such as s3://my-bucket/waypost/waypost-…tar.zst.`);
}

function requireReadableFile(file: string): void {
  try {
    accessSync(file, constants.R_OK);
    if (!statSync(file).isDirectory()) return;
  } catch (error) {
    throw new CliError(
      isMissing(error) ? `There is no file ${file}.` : `${file} cannot be read (${messageOf(error)}).`,
    );
  }
  throw new CliError(`${file} is a folder. Name the file of a backup.`);
}

function observer(): RestoreObserver {
  let progress: Progress | undefined;
  let written = 0;
  return {
    onTotal(bytes) {
      progress = new Progress("bytes", bytes);
    },
    onWrite(bytes) {
      written += bytes;
      progress?.advance(written);
    },
  };
}

async function explained<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedBackup) throw new CliError(`${file} is damaged or no backup: ${error.message}`);
    // A Problem names the file or folder itself; the advice of a disk failure is about the data folder.
    const failure = error instanceof Problem ? undefined : diskFailureOf(error);
    if (failure !== undefined) throw new CliError(`${failure.reason}. ${failure.advice}`);
    throw error;
  }
}

/** Prints what a backup holds. */
function print({ version, createdAt, database, store, secret }: Manifest): void {
  const { users = 0, workspaces = 0, links = 0 } = database.rows;
  const { fresh = 0, recent = 0, settled = 0 } = store.rows;
  const counts = { users, workspaces, links, clicks: fresh + recent + settled };
  process.stdout.write(`${JSON.stringify({ version, createdAt, engine: database.engine, ...counts, secret })}\n`);
}
