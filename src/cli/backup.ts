import { bytesOf } from "../backup/archive-format.ts";
import { archiveStream } from "../backup/archive-stream.ts";
import { abandonedBackups, backupName, seriesPrefix, surplusBackups } from "../backup/backup-names.ts";
import type { StoredFile } from "../backup/backup-storage.ts";
import { type Encryption, readSecretFile, requireRecipient } from "../backup/encryption.ts";
import { openBackupStorage } from "../backup/open-backup-storage.ts";
import type { StagedBackup } from "../backup/stage-backup.ts";
import { reasonOfFailure, refuseExisting, writeBackupFile } from "../backup/write-backup-file.ts";
import { messageOf } from "../base/message-of.ts";
import { backupPlace } from "../base/option-parsers.ts";
import { lowerPriority } from "../base/priority.ts";
import { Problem } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import { type Config, readConfig } from "../config.ts";
import { CliError } from "./cli-error.ts";
import { otherOwner } from "./data-folder.ts";
import { Progress } from "./progress.ts";
import { asFolderOwner, requirePlaceFor } from "./require-place-for.ts";
import { runOperation, useBackup } from "./run-operation.ts";

/** Where to store a backup, how many to keep, whether to replace a file, and how to encrypt. */
export type BackupOptions = {
  force?: true;
  to?: string;
  keep?: number;
  encryptTo?: string[];
  passphraseFile?: string;
};

/** The lowest priority: compressing takes a core, which visitors need more. */
const niceness = 19;
const stopSignals = ["SIGINT", "SIGTERM"] as const;

/** Where the bytes of a backup go. */
type Target = {
  /** Throws unless this user can write there. */
  requirePlace(): Promise<unknown>;
  write(createdAt: number, file: StoredFile): Promise<{ address: string; bytes: number }>;
  /** Deletes older backups; returns their number. */
  tidy(): Promise<number>;
};

/**
 * Backs up the service into a file, a folder or a bucket, and prints its size and contents as one line of JSON.
 * Guarantee: the backup appears under its name only when it is complete.
 * Throws CliError for an existing file or a full disk, and the errors of withStagedBackup and BackupStorage.
 */
export async function makeBackup(file: string | undefined, options: BackupOptions): Promise<void> {
  const config = readConfig();
  const encryption = encryptionOf(options, config);
  // Read now, because a command of root becomes this user when it opens the data folder.
  const owner = otherOwner(config);
  const target = await targetOf(file, options, { config, owner, isEncrypted: encryption.kind !== "none" });
  const signal = stopSignal();
  const startedAt = performance.now();
  const order = {
    ...{ includesSecret: encryption.kind !== "none", signal },
    onPhase: (phase: "database" | "clicks") => process.stderr.write(`${phases[phase]}\n`),
  };
  const made = await useBackup(order, target.requirePlace, async (staged) => {
    lowerPriority(niceness);
    return { ...(await writeStaged(staged, target, { encryption, signal })), manifest: staged.manifest };
  });
  const { version, createdAt, secret } = made.manifest;
  const { address, bytes } = made;
  const seconds = Math.round((performance.now() - startedAt) / secondMs);
  await runOperation("backup done", { at: Date.parse(createdAt), bytes, seconds });
  const deleted = await target.tidy();
  const contents = { version, createdAt, secret, encryption: encryption.kind, deleted };
  process.stdout.write(`${JSON.stringify({ file: address, bytes, seconds, ...contents })}\n`);
}

const phases = { database: "Copying the database.", clicks: "Copying the clicks." } as const;

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of stopSignals) {
    process.once(name, () => stopping.abort(new CliError("The backup was stopped; nothing was written.")));
  }
  return stopping.signal;
}

function encryptionOf({ encryptTo, passphraseFile }: BackupOptions, config: Config): Encryption {
  if (encryptTo !== undefined && passphraseFile !== undefined) {
    throw new Problem("unprocessable_entity", "Use either --encrypt-to or --passphrase-file.");
  }
  if (passphraseFile !== undefined) return { kind: "passphrase", passphrase: readSecretFile(passphraseFile) };
  const recipients = encryptTo ?? config.WAYPOST_BACKUP_ENCRYPT_TO;
  if (recipients.length === 0) return { kind: "none" };
  for (const recipient of recipients) requireRecipient(recipient);
  return { kind: "recipients", recipients };
}

type TargetDeps = { config: Config; owner: ReturnType<typeof otherOwner>; isEncrypted: boolean };

async function targetOf(file: string | undefined, options: BackupOptions, deps: TargetDeps): Promise<Target> {
  const { to, keep, force } = options;
  if (file !== undefined) {
    if (to !== undefined || keep !== undefined) {
      throw new CliError("Give either a file, or --to with a folder or bucket and perhaps --keep.");
    }
    if (file.startsWith("s3://")) throw new CliError("Use --to for a bucket; Waypost chooses the name of the backup.");
    return fileTarget(file, force === true, deps);
  }
  if (force !== undefined)
    throw new CliError("--force replaces a file. Waypost chooses new names for backups with --to.");
  const { config } = deps;
  if (to !== undefined) return await placeTarget(placeOf(to), keep, deps);
  const { WAYPOST_BACKUP_TO: place, WAYPOST_BACKUP_KEEP: kept } = config;
  if (place === undefined) {
    throw new CliError("Give a file, --to with a folder or s3://bucket/prefix, or set WAYPOST_BACKUP_TO.");
  }
  return await placeTarget(place, keep ?? kept, deps);
}

function placeOf(text: string) {
  try {
    return backupPlace(text);
  } catch (error) {
    throw new CliError(`--to: ${messageOf(error)}.`);
  }
}

function fileTarget(file: string, mayReplace: boolean, { owner }: TargetDeps): Target {
  const requirePlace = () => requirePlaceFor(file, "Give a file in it, or --to with the folder.");
  requirePlace();
  if (!mayReplace) refuseExisting(file);
  return {
    requirePlace: () => asFolderOwner(owner, requirePlace),
    write: async (_, stored) => ({ address: file, bytes: await writeBackupFile(file, stored, { mayReplace }) }),
    tidy: async () => 0,
  };
}

/** A new name in a folder or bucket. Only backups of this service count for `keep`. */
async function placeTarget(
  place: ReturnType<typeof backupPlace>,
  keep: number | undefined,
  { config, owner, isEncrypted }: TargetDeps,
): Promise<Target> {
  const storage = openBackupStorage(place, config);
  const series = String(await runOperation("backup series", {}));
  const requirePlace = () => asFolderOwner(owner, () => storage.list(seriesPrefix(series)));
  // A wrong key or bucket fails here, before the copies are made.
  await requirePlace();
  let written = "";
  let at = 0;
  return {
    requirePlace,
    async write(createdAt, stored) {
      at = createdAt;
      written = backupName(series, createdAt, isEncrypted);
      return { address: storage.addressOf(written), bytes: await storage.write(written, stored) };
    },
    async tidy() {
      if (keep === undefined) return 0;
      const names = await storage.list(seriesPrefix(series));
      const surplus = surplusBackups(names, { series, keep, written });
      await storage.remove([...surplus, ...abandonedBackups(names, { series, at })]);
      return surplus.length;
    },
  };
}

type Writing = { encryption: Encryption; signal: AbortSignal };

async function writeStaged({ folder, manifest }: StagedBackup, target: Target, { encryption, signal }: Writing) {
  const bytesMax = bytesOf(manifest);
  const progress = new Progress("bytes", bytesMax);
  let read = 0;
  const onRead = (bytes: number) => {
    read += bytes;
    progress.advance(read);
  };
  try {
    const bytes = await archiveStream(folder, manifest, { encryption, onRead });
    return await target.write(Date.parse(manifest.createdAt), { bytes, bytesMax, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new CliError(`The backup failed, and nothing was written: ${reasonOfFailure(error)}`);
  }
}
