import type { Command } from "commander";
import type { OperationName } from "../admin/operations.ts";
import { addListCommand } from "./list-command.ts";

type Print = (name: OperationName, input: Record<string, unknown>) => Promise<void>;

/** Adds the commands for nodes that share a database. */
export function addNodeCommands(program: Command, print: Print): void {
  const description = "List the nodes that share the database, with the clicks that wait in their spools.";
  addListCommand(program, { name: "nodes", description, list: "nodes" });
  const spool = program.command("spool").description("Take over or give up the spools of lost nodes.");
  spool
    .command("adopt")
    .description("Copy the spools of a dead node's disk into this data folder, while the service is stopped.")
    .argument("<folder>", "the data folder of the dead node, or one of its spools")
    .action(async (folder: string) => {
      const { adoptSpools } = await import("./adopt-spools.ts");
      for (const adopted of await adoptSpools(folder)) process.stdout.write(`${JSON.stringify(adopted)}\n`);
      process.stderr.write("The next start stores and counts its clicks.\n");
    });
  spool
    .command("abandon")
    .description("Stop waiting for a spool whose disk is lost. Prints one line of JSON with the lost bytes.")
    .argument("<spool>", "the spool's id, from the column SPOOL of nodes")
    .action((spoolId: string) => print("spool abandon", { spoolId: spoolId.trim().toLowerCase() }));
}
