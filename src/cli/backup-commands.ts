import type { Command } from "commander";
import type { BackupOptions } from "./backup.ts";
import { CliError } from "./cli-error.ts";
import type { KeyOptions } from "./read-backup.ts";

/** Adds `backup`, `backup verify`, `restore` and `migrate` to the program. */
export function addBackupCommands(program: Command, wholeNumber: (text: string) => number): void {
  const backup = program
    .command("backup")
    .description("Back up everything into one file, also while the service runs; prints one line of JSON.")
    .argument("[file]", "the file to write; it appears once complete (default: a new one in WAYPOST_BACKUP_TO)")
    .option("--to <place>", "a folder or s3://bucket/prefix instead of a file; Waypost chooses the name")
    .option("--keep <number>", "with --to: delete all but this many newest backups of this service", wholeNumber)
    .option("--force", "replace an existing file")
    .option("--encrypt-to <recipient...>", "encrypt to these public keys of age, such as age1…")
    .option("--passphrase-file <file>", "encrypt with the passphrase in this file")
    .action(async (file: string | undefined, options: BackupOptions) => {
      const { makeBackup } = await import("./backup.ts");
      await makeBackup(file, options);
    });
  withKeys(
    backup
      .command("verify")
      .description("Check every checksum of a backup, open its databases, and compare them with its manifest.")
      .argument("<file>", "the backup: a file, or s3://bucket/prefix/name"),
  ).action(async (file: string, _: unknown, command: Command) => {
    const { printVerified } = await import("./read-backup.ts");
    await printVerified(file, command.optsWithGlobals<KeyOptions>());
  });
  withKeys(
    program
      .command("restore")
      .description("Restore a backup into an empty WAYPOST_DATA; prints one line of JSON.")
      .argument("<file>", "the backup: a file, or s3://bucket/prefix/name"),
  ).action(async (file: string, options: KeyOptions) => {
    const { restore } = await import("./read-backup.ts");
    await restore(file, options);
  });
  program
    .command("migrate")
    .description("Move the relational data, or the clicks, to another engine; prints JSON.")
    .option("--to-database <database>", "an empty PostgreSQL database, postgres://…, while the service runs; or sqlite")
    .option("--to-clicks <store>", "an empty database in ClickHouse, https://…, while the service runs; or duckdb")
    .option("--cancel", "end a move of clicks that is not complete, or not used yet")
    .action(migrate);
}

type MigrateOptions = { toDatabase?: string; toClicks?: string; cancel?: true };

async function migrate({ toDatabase, toClicks, cancel }: MigrateOptions): Promise<void> {
  if ([toDatabase, toClicks, cancel].filter((option) => option !== undefined).length !== 1) {
    throw new CliError("Give one of --to-database, --to-clicks and --cancel. Move the relational data first.");
  }
  if (toDatabase !== undefined) {
    const { moveDatabase } = await import("./move-database.ts");
    return await moveDatabase(toDatabase);
  }
  const { cancelMove, moveClicksTo } = await import("./move-clicks.ts");
  if (toClicks === undefined) cancelMove();
  else await moveClicksTo(toClicks);
}

function withKeys(command: Command): Command {
  return command
    .option("--identity-file <file>", "a key file of age, which opens a backup that is encrypted to its recipient")
    .option("--passphrase-file <file>", "the file with the passphrase of the backup");
}
