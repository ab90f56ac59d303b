import { CommanderError } from "commander";
import { keepNewFilesPrivate } from "./base/private-files.ts";
import { Problem } from "./base/problem.ts";
import { commandLine } from "./cli/cli.ts";
import { CliError } from "./cli/cli-error.ts";
import { ConfigError } from "./config.ts";

keepNewFilesPrivate();
try {
  await commandLine().parseAsync(process.argv);
  process.exit();
} catch (error) {
  const isExpected = error instanceof CliError || error instanceof ConfigError || error instanceof Problem;
  if (!isExpected && !(error instanceof CommanderError)) throw error;
  process.stderr.write(`waypost: ${error.message}\n`);
  process.exit(1);
}
