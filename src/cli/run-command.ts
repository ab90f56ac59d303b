import { CommanderError } from "commander";
import { Problem } from "../base/problem.ts";
import { ConfigError } from "../config.ts";
import { commandLine } from "./cli.ts";
import { CliError } from "./cli-error.ts";

/** Runs a command line. Prints an expected error as one line on standard error, and sets the exit code to 1. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  try {
    await commandLine().parseAsync(argv);
  } catch (error) {
    const isExpected = error instanceof CliError || error instanceof ConfigError || error instanceof Problem;
    if (!isExpected && !(error instanceof CommanderError)) throw error;
    process.stderr.write(`waypost: ${error.message}\n`);
    process.exitCode = 1;
  }
}
