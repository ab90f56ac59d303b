import { type Command, InvalidArgumentError } from "commander";
import type { OperationName } from "../admin/operations.ts";
import { countLimitMax, retentionDaysMax } from "../base/limit-bounds.ts";
import { CliError } from "./cli-error.ts";
import { addListCommand } from "./list-command.ts";

/** Prints the result of an operation, one line of JSON for each object. */
type Print = (name: OperationName, input: Record<string, unknown>) => Promise<void>;

/** Adds the commands on people, workspaces and domains: `user list`, `workspace transfer` and so on. */
export function addPeopleCommands(program: Command, print: Print): void {
  addAccountCommands(commandNamed(program, "user"), print);
  addSignInCommands(commandNamed(program, "user"), print);
  addWorkspaceCommands(commandNamed(program, "workspace"), print);
  const description = "List the domains of all workspaces.";
  addListCommand(commandNamed(program, "domain"), { name: "list", description, list: "domain list" }).option(
    "--search <text>",
    "only domains with this text in the name",
  );
}

/** The command of a noun, which the other commands of the noun have created. */
function commandNamed(program: Command, name: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name);
}

const account = "the user's e-mail address or id";

function addAccountCommands(user: Command, print: Print): void {
  addListCommand(user, { name: "list", description: "List the users.", list: "user list" }).option(
    "--search <text>",
    "only users with this text in the name or e-mail address",
  );
  user
    .command("disable")
    .description("Disable an account: ends all sessions, API keys and open invites; links keep working.")
    .argument("<user>", account)
    .action((named: string) => print("user disable", { user: named }));
  user
    .command("enable")
    .description("Enable a disabled account: the user can sign in again. Sessions and API keys stay ended.")
    .argument("<user>", account)
    .action((named: string) => print("user enable", { user: named }));
  user
    .command("delete")
    .description("Write a user's data into a file, then erase the user. Links stay with their workspaces.")
    .argument("<user>", account)
    .requiredOption("--export <file>", "the new file for the user's data, as JSON")
    .action(async (named: string, options: { export: string }) => {
      const { deleteUser } = await import("./delete-user.ts");
      await deleteUser(named, options.export);
    });
  user
    .command("email")
    .description("Change a user's e-mail address, and end open links to set a password.")
    .argument("<user>", account)
    .argument("<email>", "the new e-mail address")
    .action((named: string, email: string) => print("user email", { user: named, email }));
  user
    .command("remove-codes")
    .description("Remove the one-time codes and passkeys of a user who lost them; signing in then asks for no code.")
    .argument("<user>", account)
    .action((named: string) => print("user remove-codes", { user: named }));
  user
    .command("administrator")
    .description("Make a user an administrator of this service, or end that.")
    .argument("<user>", account)
    .option("--on", "make the user an administrator")
    .option("--off", "make the user an ordinary user")
    .action((named: string, { on, off }: { on?: true; off?: true }, command: Command) => {
      if (on === off) command.error("error: Give either --on or --off.");
      return print("user administrator", { user: named, isAdministrator: on === true });
    });
}

function addSignInCommands(user: Command, print: Print): void {
  user
    .command("identities")
    .description("List the identity providers that sign a user in, one line of JSON each.")
    .argument("<user>", account)
    .action((named: string) => print("user identities", { user: named }));
  user
    .command("disconnect")
    .description("Disconnect a user from all identity providers, and end the sessions that began there.")
    .argument("<user>", account)
    .action((named: string) => print("user disconnect", { user: named }));
  user
    .command("sessions")
    .description("List a user's sessions, or end them.")
    .argument("<user>", account)
    .option("--end <id>", "end this session")
    .option("--end-all", "end all sessions")
    .option("--json", "as one JSON array")
    .action(async (named: string, options: { end?: string; endAll?: true; json?: true }, command: Command) => {
      const { end, endAll, json } = options;
      if (end !== undefined && endAll === true) command.error("error: Give either --end or --end-all.");
      if (endAll === true) return await print("user end-sessions", { user: named });
      if (end !== undefined) return await print("user end-sessions", { user: named, session: end });
      const { printList } = await import("./print-list.ts");
      return await printList("user sessions", { user: named }, json === true);
    });
}

function addWorkspaceCommands(workspace: Command, print: Print): void {
  addListCommand(workspace, { name: "list", description: "List all workspaces.", list: "workspace list" }).option(
    "--search <text>",
    "only workspaces with this text in the name",
  );
  workspace
    .command("transfer")
    .description("Make a user the owner of a workspace; former owners become members.")
    .argument("<id>", "the workspace's number", workspaceNumber)
    .requiredOption("--to <user>", account)
    .action((workspaceId: number, { to }: { to: string }) => print("workspace transfer", { workspaceId, to }));
  workspace
    .command("limits")
    .description("Show the limits of a workspace and what it has, or change them: a number, unlimited, or default.")
    .argument("<id>", "the workspace's number", workspaceNumber)
    .option("--links <limit>", "links that it may have", limitUpTo(countLimitMax))
    .option("--domains <limit>", "domains that it may have", limitUpTo(countLimitMax))
    .option("--members <limit>", "members that it may have", limitUpTo(countLimitMax))
    .option("--api-keys <limit>", "API keys that it may have", limitUpTo(countLimitMax))
    .option("--retention-days <limit>", "days that it may keep individual clicks", limitUpTo(retentionDaysMax))
    .action((workspaceId: number, { retentionDays, ...limits }: LimitCommandOptions) =>
      print("workspace limits", { workspaceId, ...changesOf({ ...limits, clickRetentionDays: retentionDays }) }),
    );
  workspace
    .command("delete")
    .description("Delete a workspace with its links and clicks permanently.")
    .argument("<id>", "the workspace's number", workspaceNumber)
    .requiredOption("--confirm <name>", "the workspace's name, exactly as written")
    .action((workspaceId: number, { confirm }: { confirm: string }) =>
      print("workspace delete", { workspaceId, confirm }),
    );
}

type Limit = number | "unlimited" | "default";
type LimitCommandOptions = {
  links?: Limit;
  domains?: Limit;
  members?: Limit;
  apiKeys?: Limit;
  retentionDays?: Limit;
};

/** The changes as the operation takes them: null returns to the limit of the instance. */
function changesOf(limits: Record<string, Limit | undefined>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit === "default" ? null : limit]));
}

function limitUpTo(max: number): (text: string) => Limit {
  return (text) => {
    if (text === "unlimited" || text === "default") return text;
    if (/^[1-9]\d*$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a number from 1 to ${max}, unlimited, or default.`);
  };
}

function workspaceNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    // Not a usage error of commander, which would put the name of the argument first.
    throw new CliError(`${JSON.stringify(text)} is not the number of a workspace; waypost workspace list shows them.`);
  }
  return Number(text);
}
