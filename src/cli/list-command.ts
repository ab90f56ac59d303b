import type { Command } from "commander";
import type { ListName } from "./print-list.ts";

type ListCommand = {
  /** The name of the command, such as "list". */
  name: string;
  description: string;
  list: ListName;
  /** What the command always asks the operation for. */
  input?: Record<string, unknown>;
};

/**
 * Adds a command that lists objects: as a table or, with --json, as one JSON array. Every list of the command line is made
 * here. The options that the caller adds become the operation's input.
 */
export function addListCommand(parent: Command, { name, description, list, input = {} }: ListCommand): Command {
  return parent
    .command(name)
    .description(description)
    .option("--json", "as one JSON array")
    .action(async ({ json, ...options }: { json?: true }) => {
      const { printList } = await import("./print-list.ts");
      await printList(list, { ...input, ...options }, json === true);
    });
}
