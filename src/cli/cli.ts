import { createInterface } from "node:readline/promises";
import { Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import type { GenerateOptions } from "../../benchmarks/synthetic/generate.ts";
import { version } from "../../package.json";
import type { OperationName } from "../admin/operations.ts";
import { portsOf } from "../http1/ports.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addBlockCommands } from "./block-commands.ts";
import { addCertificateCommands } from "./certificate-commands.ts";
import { addClickHouseCommands } from "./clickhouse-commands.ts";
import { printConfig } from "./config.ts";
import { addExportCommands } from "./export-commands.ts";
import { addListCommand } from "./list-command.ts";
import { addNodeCommands } from "./node-commands.ts";
import { addPeopleCommands } from "./people-commands.ts";
import { serve, serveMain } from "./serve.ts";
import type { VerifyOptions } from "./verify-clicks.ts";

/** Workspaces to generate by default, and at most: there are names for as many. */
const workspacesDefault = 100;
const workspacesMax = 1_000;

/**
 * Returns the command line as a commander program: each command parses its arguments and calls one function. A command
 * loads the modules that only it needs, because loading takes longer than most commands.
 */
export function commandLine(): Command {
  const program = new Command("waypost").description("Self-hosted link management.");
  program.version(version, "--version", "print the version");
  // Set before the commands are added, because each command inherits it.
  program.configureOutput({ outputError: (text, write) => write(usageErrorLine(text)) });

  program
    .command("serve")
    .description("Run the service. Its options are environment variables; config prints them.")
    .action(serve);
  program
    .command("serve-main <ports>", { hidden: true })
    .action(async (ports: string) => await serveMain(portsOf(ports)));
  program
    .command("config")
    .description("Show every option with its value, source, and an example.")
    .option("--json", "as one JSON array")
    .action(({ json }: { json?: true }) => printConfig(json === true));
  program
    .command("doctor")
    .description("Check options, data folder, database, spool, click store, country database, DNS and mail.")
    .option("--json", "as one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const { doctor } = await import("./doctor.ts");
      if (!(await doctor(json === true))) process.exitCode = 1;
    });
  addUserCommands(program);
  addKeyCommands(program);
  addExportCommands(program, wholeNumber);
  addClicksCommands(program);
  addBlockCommands(program, print);
  addPeopleCommands(program, print);
  addBackupCommands(program, wholeNumber);
  addCertificateCommands(program, print);
  addClickHouseCommands(program);
  addNodeCommands(program, print);
  addBenchmarkCommands(program);
  return program;
}

/** Formats commander's usage error as one line. */
function usageErrorLine(text: string): string {
  const message = text
    .trim()
    .replace(/^error: /, "")
    .replace(/\.?\n\(Did you mean (.*)\?\)$/s, "; did you mean $1?");
  return `waypost: ${message.replace(/[^.?!]$/, "$&.")} --help lists the options.\n`;
}

function addUserCommands(program: Command): void {
  const user = program.command("user").description("Manage users.");
  user
    .command("create")
    .description("Create a user with an API key; prints one line of JSON with userId, workspaceId and apiKey.")
    .requiredOption("--email <email>", "the user's e-mail address")
    .option("--name <name>", "the display name (default: the part of the e-mail address before the @)")
    .option("--workspace <name>", "the name of the new workspace (default: the user's name)")
    .option("--join <id>", "join this workspace instead of creating one", wholeNumber)
    .option("--role <role>", "owner, member or viewer in the joined workspace (default: member)")
    .action(async ({ email, ...rest }: { email: string }) => {
      await print("user create", { email, ...rest });
      await printSignInHint(email);
    });
  user
    .command("password")
    .description("Set a user's password, read from the terminal or from standard input.")
    .requiredOption("--email <email>", "the user's e-mail address")
    .action(async ({ email }: { email: string }) => {
      await print("user password", { email, password: await readPassword() });
      await printPasswordHint();
    });
  user
    .command("verify")
    .description(
      "Verify a user's e-mail address: ends earlier keys, sessions and the password, and prints a link to set a password.",
    )
    .requiredOption("--email <email>", "the user's e-mail address")
    .action(async ({ email }: { email: string }) => await verify(email));
}

async function verify(email: string): Promise<void> {
  const { runOperation, serviceAccess } = await import("./run-operation.ts");
  const { setupToken, ...verified } = Verified.parse(await runOperation("user verify", { email }));
  const { url: base, onlyProvider } = await serviceAccess();
  const url = new URL(`/app/setup/${setupToken}`, base).href;
  process.stdout.write(`${JSON.stringify({ ...verified, url })}\n`);
  const use =
    onlyProvider === null ? "to set a new password" : `to sign in once; later, they sign in with ${onlyProvider}`;
  process.stderr.write(`Send this link to the user ${use}. Earlier API keys no longer work.\n`);
}

const Verified = z.object({ userId: z.string(), email: z.string(), setupToken: z.string() });

function addKeyCommands(program: Command): void {
  const key = program.command("key").description("Manage API keys.");
  key
    .command("create")
    .description("Create an API key for a user; prints one line of JSON. The key is shown only once.")
    .requiredOption("--email <email>", "the user's e-mail address")
    .option("--workspace <id>", "the workspace of the key (default: the user's first)", wholeNumber)
    .option("--name <name>", "the purpose of the key")
    .option("--scopes <list>", "comma-separated, such as links.read,analytics.read (default: all)", commaSeparated)
    .option(
      "--expires <date>",
      "the last day of validity in UTC, such as 2027-01-31, or an instant, such as 2027-01-31T12:00:00Z",
    )
    .action(({ expires, ...input }: { expires?: string }) => print("key create", { ...input, expiresAt: expires }));
  const description = "List API keys without their secrets.";
  addListCommand(key, { name: "list", description, list: "key list" }).option(
    "--email <email>",
    "only keys of this user",
  );
  key
    .command("revoke")
    .description("Revoke an API key. It stops working at once.")
    .argument("<id>", "the key's id, as shown by key list")
    .action((id: string) => print("key revoke", { id }));
}

function addClicksCommands(program: Command): void {
  const clicks = program.command("clicks").description("Check click counts.");
  clicks
    .command("verify")
    .description("Compare the counts of links and reports with the stored clicks.")
    .option("--fix", "correct the differences")
    .option("--workspace <id>", "only this workspace", wholeNumber)
    .option("--json", "as one JSON object")
    .action(async (options: VerifyOptions) => {
      const { verifyClicks } = await import("./verify-clicks.ts");
      if (!(await verifyClicks(options))) process.exitCode = 1;
    });
  clicks
    .command("accept-loss")
    .description("Accept the loss of clicks that doctor reports; prints one line of JSON with the losses.")
    .action(async () => {
      const { runOperation } = await import("./run-operation.ts");
      process.stdout.write(`${JSON.stringify(await runOperation("clicks accept-loss", {}))}\n`);
    });
}

function addBenchmarkCommands(program: Command): void {
  const benchmark = program.command("benchmark").description("Measure a service.");
  benchmark
    .command("generate")
    .description("Fill an empty data folder with realistic links and clicks up to now.")
    .requiredOption("--clicks <number>", "the number of clicks", wholeNumber)
    .requiredOption("--links <number>", "the number of links, at most 1000000", atMost(1_000_000))
    .option("--workspaces <number>", "the number of workspaces, at most 1000 (default: 100)", atMost(workspacesMax))
    .option("--days <number>", "the number of days, at most 3650", atMost(3_650), 365)
    .option("--seed <number>", "the seed of the random numbers", wholeNumber, 1)
    .action(async ({ workspaces, ...options }: Omit<GenerateOptions, "workspaces"> & { workspaces?: number }) => {
      const { generate } = await import("../../benchmarks/synthetic/generate.ts");
      await generate({ ...options, workspaces: workspaces ?? Math.min(workspacesDefault, options.links) });
    });
}

async function print(name: OperationName, input: Record<string, unknown>): Promise<void> {
  const { runOperation } = await import("./run-operation.ts");
  const result = await runOperation(name, input);
  for (const line of Array.isArray(result) ? result : [result]) process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Prints a hint to standard error, so that standard output stays one line of JSON. */
async function printSignInHint(email: string): Promise<void> {
  const { serviceAccess } = await import("./run-operation.ts");
  const { url, onlyProvider } = await serviceAccess();
  const app = `${new URL(url).origin}/app`;
  process.stderr.write(
    onlyProvider === null
      ? `To sign in to the dashboard at ${app}, the user needs a password: waypost user password --email ${email}\n`
      : `The user signs in to the dashboard at ${app} with ${onlyProvider}, where the address must be verified.\n`,
  );
}

/** Says on standard error when the new password signs nobody in. */
async function printPasswordHint(): Promise<void> {
  const { serviceAccess } = await import("./run-operation.ts");
  const { onlyProvider } = await serviceAccess();
  if (onlyProvider === null) return;
  process.stderr.write(
    `The password signs nobody in while WAYPOST_PASSWORD_SIGN_IN is off: people sign in with ${onlyProvider} only.\n`,
  );
}

async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await Bun.stdin.text()).replace(/\r?\n$/, "");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question("New password (visible as you type): ");
  } finally {
    terminal.close();
  }
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

function atMost(max: number): (text: string) => number {
  return (text) => {
    const number = wholeNumber(text);
    if (number > max) throw new InvalidArgumentError(`It must be at most ${max}.`);
    return number;
  };
}

function commaSeparated(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}
