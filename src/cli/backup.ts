import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesOf } from "../backup/archive-format.ts";
import { archiveStream } from "../backup/archive-stream.ts";
import { type Encryption, readSecretFile, requireRecipient } from "../backup/encryption.ts";
import type { StagedBackup } from "../backup/stage-backup.ts";
import { diskFailureOf } from "../base/disk-failure.ts";
import { messageOf } from "../base/message-of.ts";
import { lowerPriority } from "../base/priority.ts";
import { Problem } from "../base/problem.ts";
import { syncFolder } from "../base/sync-folder.ts";
import { secondMs } from "../base/time.ts";
import { CliError } from "./cli-error.ts";
import { Progress } from "./progress.ts";
import { runOperation, useBackup } from "./run-operation.ts";

/** Whether to replace a file, and how to encrypt it. */
export type BackupOptions = { force?: true; encryptTo?: string[]; passphraseFile?: string };

/** The lowest priority: compressing takes a core, which visitors need more. */
const niceness = 19;
/** How many files of the backup the signal's handler may leave behind: none. */
const stopSignals = ["SIGINT", "SIGTERM"] as const;

/**
 * Backs up the service into a file, and prints its size and contents as one line of JSON.
 * Guarantee: the file appears under its name only when it is complete and synced.
 * Throws CliError for an existing file or a full disk, and the errors of withStagedBackup.
 */
export async function makeBackup(file: string, options: BackupOptions): Promise<void> {
  const encryption = encryptionOf(options);
  if (options.force !== true) refuseExisting(file);
  const stopping = new AbortController();
  for (const name of stopSignals) {
    process.once(name, () => stopping.abort(new CliError("The backup was stopped; nothing was written.")));
  }
  const startedAt = performance.now();
  const { signal } = stopping;
  const order = {
    ...{ includesSecret: encryption.kind !== "none", signal },
    onPhase: (phase: "database" | "clicks") => process.stderr.write(`${phases[phase]}\n`),
  };
  const made = await useBackup(order, async (staged) => {
    lowerPriority(niceness);
    const bytes = await writeWhole(file, staged, { encryption, mayReplace: options.force === true, signal });
    return { bytes, manifest: staged.manifest };
  });
  const { version, createdAt, secret } = made.manifest;
  const seconds = Math.round((performance.now() - startedAt) / secondMs);
  await runOperation("backup done", { at: Date.parse(createdAt), bytes: made.bytes, seconds });
  process.stdout.write(
    `${JSON.stringify({ file, bytes: made.bytes, seconds, version, createdAt, secret, encryption: encryption.kind })}\n`,
  );
}

const phases = { database: "Copying the database.", clicks: "Copying the clicks." } as const;

function encryptionOf({ encryptTo: recipients, passphraseFile }: BackupOptions): Encryption {
  if (recipients !== undefined && passphraseFile !== undefined) {
    throw new Problem("unprocessable_entity", "Use either --encrypt-to or --passphrase-file.");
  }
  if (passphraseFile !== undefined) return { kind: "passphrase", passphrase: readSecretFile(passphraseFile) };
  if (recipients === undefined) return { kind: "none" };
  for (const recipient of recipients) requireRecipient(recipient);
  return { kind: "recipients", recipients };
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new CliError(`${file} already exists. Choose another file, or replace it with --force.`);
}

type Writing = { encryption: Encryption; mayReplace: boolean; signal: AbortSignal };

/** Writes to a temporary name and renames at the end; returns the bytes of the file. */
async function writeWhole(file: string, staged: StagedBackup, writing: Writing): Promise<number> {
  const part = `${file}.part-${process.pid}`;
  const handle = await open(part, "wx", 0o600).catch((error: unknown) => {
    throw new CliError(`${file} cannot be written to (${messageOf(error)}).`);
  });
  try {
    const bytes = await writeArchive(handle, staged, writing);
    await handle.sync();
    await handle.close();
    if (!writing.mayReplace) refuseExisting(file);
    await rename(part, file);
    syncFolder(dirname(file));
    return bytes;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    writing.signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    const failure = diskFailureOf(error);
    const why = failure === undefined ? messageOf(error) : `${failure.reason}. ${failure.advice}`;
    throw new CliError(`The backup failed, and nothing was written: ${why}`);
  }
}

async function writeArchive(
  handle: FileHandle,
  { folder, manifest }: StagedBackup,
  { encryption, signal }: Writing,
): Promise<number> {
  const progress = new Progress("bytes", bytesOf(manifest));
  let read = 0;
  let written = 0;
  const onRead = (bytes: number) => {
    read += bytes;
    progress.advance(read);
  };
  for await (const chunk of await archiveStream(folder, manifest, { encryption, onRead })) {
    signal.throwIfAborted();
    await handle.writeFile(chunk);
    written += chunk.length;
  }
  signal.throwIfAborted();
  return written;
}
