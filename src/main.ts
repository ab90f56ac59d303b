import { CommanderError } from "commander";
import { closeNewFilesToOthers } from "./base/file-modes.ts";
import { Problem } from "./base/problem.ts";
import { commandLine } from "./cli/cli.ts";
import { Refusal } from "./cli/refusal.ts";
import { ConfigError } from "./config.ts";

closeNewFilesToOthers();
try {
  await commandLine().parseAsync(process.argv);
  process.exit();
} catch (error) {
  const isExpected = error instanceof Refusal || error instanceof ConfigError || error instanceof Problem;
  if (!isExpected && !(error instanceof CommanderError)) throw error;
  process.stderr.write(`waypost: ${error.message}\n`);
  process.exit(1);
}
