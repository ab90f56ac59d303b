import type { Command } from "commander";
import type { OperationName } from "../admin/operations.ts";
import { addListCommand } from "./list-command.ts";

type Print = (name: OperationName, input: Record<string, unknown>) => Promise<void>;

/** Adds the commands of `certificates`. */
export function addCertificateCommands(program: Command, print: Print): void {
  const certificates = program.command("certificates").description("Manage the TLS certificates that Waypost orders.");
  const description = "List the certificates with their state and the last problem.";
  addListCommand(certificates, { name: "list", description, list: "certificates list" });
  certificates
    .command("renew")
    .description("Order a new certificate within a minute, even while the current one is valid.")
    .argument("<name>", "the domain, such as go.example.com")
    .action((name: string) => print("certificates renew", { name: name.trim().toLowerCase() }));
  certificates
    .command("forget-keys")
    .description(
      "After WAYPOST_SECRET was lost: delete the keys that cannot be read. Their certificates are ordered again.",
    )
    .action(() => print("certificates forget-keys", {}));
}
