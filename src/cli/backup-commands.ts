import type { Command } from "commander";
import { type Config, readConfig } from "../config.ts";
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
    .option("--encrypt-to <recipient>", "encrypt to this public key of age, such as age1…; repeatable", appended)
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

type MigrateOptions = { toDatabase?: string; toClicks?: string; cancel?: boolean };

async function migrate({ toDatabase, toClicks, cancel = false }: MigrateOptions): Promise<void> {
  const isMove = toDatabase !== undefined || toClicks !== undefined;
  if (isMove === cancel) throw new CliError("Give --to-database, --to-clicks or both, or --cancel alone.");
  const { cancelMove, moveClicksTo } = await import("./move-clicks.ts");
  if (cancel) return cancelMove();
  const config = readConfig();
  const { moveDatabase } = await import("./move-database.ts");
  if (toDatabase !== undefined && toClicks !== undefined) return await moveBoth(toDatabase, toClicks, config);
  if (toDatabase !== undefined) await moveDatabase(toDatabase, config);
  if (toClicks !== undefined) await moveClicksTo(toClicks, config);
}

/** ClickHouse needs PostgreSQL, so it comes last, and is left first. */
async function moveBoth(toDatabase: string, toClicks: string, config: Config): Promise<void> {
  const { checkClicksTarget, moveClicksTo } = await import("./move-clicks.ts");
  const { moveDatabase } = await import("./move-database.ts");
  const isBack = toDatabase === "sqlite";
  // Before anything is moved.
  if ((checkClicksTarget(toClicks) === "duckdb") !== isBack) {
    throw new CliError("Give postgres://… with a URL of ClickHouse, or sqlite with duckdb.");
  }
  if (isBack) {
    await moveClicksTo(toClicks, config);
    await moveDatabase(toDatabase, config);
    return;
  }
  const { isFolderInUse } = await import("./data-folder.ts");
  if (isFolderInUse(config)) {
    throw new CliError(
      "While Waypost runs, move with --to-database alone, restart it on PostgreSQL, and move the clicks with --to-clicks.",
    );
  }
  const { isRunning } = await moveDatabase(toDatabase, config);
  if (isRunning) throw new CliError("Restart Waypost on PostgreSQL, and then move the clicks with --to-clicks alone.");
  await moveClicksTo(toClicks, { ...config, WAYPOST_DATABASE_URL: toDatabase });
}

/** Collects the values of an option that may be repeated. */
function appended(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

function withKeys(command: Command): Command {
  return command
    .option("--identity-file <file>", "a key file of age, which opens a backup that is encrypted to its recipient")
    .option("--passphrase-file <file>", "the file with the passphrase of the backup");
}
