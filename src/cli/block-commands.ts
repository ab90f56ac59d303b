import type { Command } from "commander";
import type { OperationName } from "../admin/operations.ts";
import type { BlockKind } from "../database/blocks-table.ts";
import { addListCommand } from "./list-command.ts";

/** TABLE of the kinds of blocks, and how the operator names the target. */
const nouns: Record<BlockKind, { description: string; noun: string; target: string }> = {
  link: { description: "Block links.", noun: "a link", target: "the short link or the link's id" },
  host: {
    description: "Block hosts that links lead to.",
    noun: "a host and all its subdomains",
    target: "a host such as example.com",
  },
  domain: { description: "Manage domains that have short links.", noun: "a domain", target: "the domain's name or id" },
  workspace: { description: "Manage workspaces.", noun: "a workspace", target: "the workspace's number" },
  user: { description: "Manage users.", noun: "a user", target: "the user's e-mail address or id" },
};

type Print = (name: OperationName, input: Record<string, unknown>) => Promise<void>;

/** Adds the commands `block`, `unblock` and `blocks` for each kind. */
export function addBlockCommands(program: Command, print: Print): void {
  for (const [kind, { description, noun: blocked, target: meaning }] of Object.entries(nouns)) {
    const known = program.commands.find((command) => command.name() === kind);
    const noun = known ?? program.command(kind).description(description);
    noun
      .command("block")
      .description(`Block ${blocked}: visitors get a page with status 410. Prints one line of JSON.`)
      .argument("<target>", meaning)
      .requiredOption("--reason <text>", "the reason, shown only in the list of blocks, never to visitors and users")
      .action((target: string, { reason }: { reason: string }) => print("block", { kind, target, reason }));
    noun
      .command("unblock")
      .description("End a block.")
      .argument("<target>", `${meaning}, or the target as shown by blocks`)
      .action((target: string) => print("unblock", { kind, target }));
    addListCommand(noun, {
      ...{ name: "blocks", description: "List the blocks of this kind.", list: "blocks" },
      input: { kind },
    });
  }
  addListCommand(program, { name: "blocks", description: "List all blocks.", list: "blocks" });
}
