import { readFileSync } from "node:fs";
import {
  addresses,
  bootstrapKey,
  dnsServers,
  email,
  file,
  flag,
  folder,
  hostName,
  listenHost,
  mailSender,
  networks,
  oneOf,
  origin,
  password,
  postgresUrl,
  schemes,
  smtpUrl,
  token,
  wholeNumber,
  workspaceName,
} from "./base/option-parsers.ts";

/**
 * TABLE of options, and the only reader of the environment. Every option has a NAME_FILE form that names a file
 * holding the value, for secrets mounted by an orchestrator.
 */
export const options = {
  WAYPOST_PORT: {
    help: "Port to listen on; 0 takes a free one",
    example: "3000",
    fallback: "3000",
    parse: wholeNumber(0, 65_535),
  },
  WAYPOST_HOST: { help: "Address to listen on", example: "0.0.0.0", fallback: "0.0.0.0", parse: listenHost },
  WAYPOST_URL: {
    help: "Address people reach the service at; its host is the instance's own domain. Follows WAYPOST_PORT when unset",
    example: "https://links.example.com",
    fallback: defaultUrl(3000),
    parse: origin,
  },
  WAYPOST_DATA: { help: "The data folder", example: "./data", fallback: "./data", parse: folder },
  WAYPOST_DATABASE_URL: {
    help: "PostgreSQL to use in place of the SQLite file in the data folder",
    example: "postgres://user:password@host:5432/waypost",
    parse: postgresUrl,
    secret: true,
  },
  WAYPOST_SPOOL_SYNC_MS: {
    help: "How often clicks are forced to the disk, in milliseconds: what power loss can cost",
    example: "50",
    fallback: "50",
    parse: wholeNumber(1, 60_000),
  },
  WAYPOST_SPOOL_MAX_BYTES: {
    help: "Bytes of clicks kept while the store is unreachable; beyond it clicks are dropped and counted as dropped",
    example: "4294967296",
    fallback: String(4 * 1024 ** 3),
    parse: wholeNumber(1024 ** 2, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_STORE_MAX_BYTES: {
    help: "Bytes of stored clicks beyond which long texts of visitors are cut, while clicks are counted; 0 for no limit",
    example: "107374182400",
    fallback: "0",
    parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_EXPORTS_MAX_BYTES: {
    help: "Bytes that exports of clicks may hold on the disk until they are taken; those of one user half of it",
    example: "34359738368",
    fallback: String(32 * 1024 ** 3),
    parse: wholeNumber(1024 ** 2, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_WORKERS: {
    help: "Redirect workers beside the main process, about one for each core (Linux); 0 serves all from one process",
    example: "2",
    fallback: "0",
    parse: wholeNumber(0, 64),
  },
  WAYPOST_TRUSTED_PROXIES: {
    help: "Addresses or networks whose X-Forwarded-For is believed, comma separated",
    example: "127.0.0.1,10.0.0.0/8",
    fallback: "",
    parse: networks,
  },
  WAYPOST_RESOLVERS: {
    help: "DNS servers to ask, comma separated; the system's when empty",
    example: "1.1.1.1,[2606:4700::1111]:53",
    fallback: "",
    parse: dnsServers,
  },
  WAYPOST_CNAME_TARGET: {
    help: "Host that short domains point their CNAME record at; the host of WAYPOST_URL when empty",
    example: "cname.example.com",
    fallback: "",
    parse: hostName,
  },
  WAYPOST_IPS: {
    help: "Addresses that short domains point their A and AAAA records at, comma separated",
    example: "192.0.2.10,2001:db8::10",
    fallback: "",
    parse: addresses,
  },
  WAYPOST_GEO_DATABASE: {
    help: "An mmdb file of places, in place of the country database that ships",
    example: "/var/lib/geo/city.mmdb",
    parse: file,
  },
  WAYPOST_UNVERIFIED_REDIRECTS: {
    help: "true lets links on pending domains redirect; for an instance of one owner",
    example: "true",
    fallback: "false",
    parse: flag,
  },
  WAYPOST_APP_SCHEMES: {
    help: "Schemes a destination may have beyond http and https, comma separated",
    example: "myapp,fb",
    fallback: "",
    parse: schemes,
  },
  WAYPOST_RATE_LIMIT_PER_MINUTE: {
    help: "API calls a minute of each user: as many with all their keys, and as many in all their sessions; 0 turns all limits off",
    example: "600",
    fallback: "600",
    parse: wholeNumber(0, 1_000_000_000),
  },
  WAYPOST_WORKSPACE_RATE_LIMIT_PER_MINUTE: {
    help: "API calls a minute in each workspace, of all its users together; 0 turns this limit off. 5 times WAYPOST_RATE_LIMIT_PER_MINUTE when unset",
    example: "3000",
    parse: wholeNumber(0, 1_000_000_000),
  },
  WAYPOST_SMTP_URL: {
    help: "Mail server for invites and new passwords; smtp:// (port 587, STARTTLS where offered) or smtps:// (port 465)",
    example: "smtps://user:password@mail.example.com",
    parse: smtpUrl,
    secret: true,
  },
  WAYPOST_MAIL_FROM: {
    help: "Sender of mails; waypost@ the host of WAYPOST_URL when unset",
    example: "Acme Links <links@example.com>",
    parse: mailSender,
  },
  WAYPOST_METRICS_TOKEN: {
    help: "Bearer token that /metrics asks for; without one it answers this machine only",
    example: "a-long-random-text",
    parse: token,
    secret: true,
  },
  WAYPOST_LOG_LEVEL: {
    help: "Least severe log lines to write: debug, info, warn or error",
    example: "info",
    fallback: "info",
    parse: oneOf("debug", "info", "warn", "error"),
  },
  WAYPOST_BOOTSTRAP_EMAIL: {
    help: "E-mail of the first user, made at the first start",
    example: "owner@example.com",
    parse: email,
  },
  WAYPOST_BOOTSTRAP_API_KEY: {
    help: "API key of the first user: 24 or more of A-Z a-z 0-9 _ -",
    example: "wp_0123456789abcdefghijklmn",
    parse: bootstrapKey,
    secret: true,
  },
  WAYPOST_BOOTSTRAP_PASSWORD: {
    help: "Dashboard password of the first user: 10 or more characters",
    example: "correct horse battery",
    parse: password,
    secret: true,
  },
  WAYPOST_BOOTSTRAP_WORKSPACE: {
    help: "Name of the first workspace",
    example: "Acme",
    parse: workspaceName,
  },
} as const satisfies Record<string, Option<unknown>>;

type Option<Value> = {
  help: string;
  example: string;
  /** The value when neither NAME nor NAME_FILE is set; without one the option is then absent. */
  fallback?: string;
  /** Throws an Error whose message says what would be right. */
  parse: (text: string) => Value;
  /** Never shown. */
  secret?: true;
};

/** The name of an option, as the environment has it. */
export type OptionName = keyof typeof options;
type ParsedBy<Name extends OptionName> = ReturnType<(typeof options)[Name]["parse"]>;
type HasFallback<Name extends OptionName> = (typeof options)[Name] extends { fallback: string } ? true : false;

/** The parsed options, by name; one without a fallback may be undefined. */
export type Config = {
  readonly [Name in OptionName]: HasFallback<Name> extends true ? ParsedBy<Name> : ParsedBy<Name> | undefined;
};

/** Where an option's value comes from. */
export type OptionSource = "default" | "environment" | "file" | "unset";

type Environment = Record<string, string | undefined>;

/** A bad option: one line saying which, why, and what would be right. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads and checks every option.
 * Throws ConfigError for the first bad one.
 */
export function readConfig(environment: Environment = process.env): Config {
  const values: Record<string, unknown> = {};
  for (const name of optionNames) values[name] = parseOption(name, readOption(name, environment).text);
  // Every name of the table was just given the value its own parser made, which is what Config says.
  return values as Config;
}

/** Where a service on this port is reached when nothing else is said. */
export function defaultUrl(port: number | string): string {
  return `http://localhost:${port}`;
}

/** With port 0 the address people reach is known only when somebody listens, unless the operator has said one. */
export function withActualPort(config: Config, port: number): Config {
  if (readOption("WAYPOST_URL").source !== "default") return config;
  return { ...config, WAYPOST_URL: new URL(defaultUrl(port)) };
}

/** Whether the operator has said where the service is reached. */
export function isUrlSet(environment: Environment = process.env): boolean {
  return readOption("WAYPOST_URL", environment).source !== "default";
}

/** The names of all options, in the order of the table. */
export const optionNames = Object.keys(options) as OptionName[];

/** Where an option's text comes from, and the text. */
export function readOption(
  name: OptionName,
  environment: Environment = process.env,
): { text: string | undefined; source: OptionSource } {
  const direct = environment[name];
  if (direct !== undefined && direct !== "") return { text: direct, source: "environment" };
  const path = environment[`${name}_FILE`];
  if (path !== undefined && path !== "") return { text: readOptionFile(name, path), source: "file" };
  const text = name === "WAYPOST_URL" ? urlOfPort(environment) : (options[name] as Option<unknown>).fallback;
  return { text, source: text === undefined ? "unset" : "default" };
}

/** A port that is no number is refused by its own option, which stands before. */
function urlOfPort(environment: Environment): string {
  return defaultUrl(readOption("WAYPOST_PORT", environment).text ?? "");
}

function readOptionFile(name: OptionName, path: string): string {
  const text = readTextFile(path);
  const names = `${name}_FILE names ${path}`;
  if (text === undefined) throw new ConfigError(`${names}, which cannot be read. Give the path of a readable file.`);
  // Said rather than taken for "not set": an empty secret is most likely one that failed to be mounted.
  if (text === "") throw new ConfigError(`${names}, which is empty. Write the value into it, or leave the option out.`);
  return text;
}

function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch {
    return undefined;
  }
}

function parseOption(name: OptionName, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const option: Option<unknown> = options[name];
  try {
    return option.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const shown = option.secret ? "" : ` is ${JSON.stringify(text.slice(0, 200))}`;
    throw new ConfigError(oneLine(`${name}${shown}: ${reason}. Example: ${name}=${option.example}`));
  }
}

function oneLine(message: string): string {
  return message.replaceAll(/\s*[\r\n]\s*/g, " ");
}

/** The name that the documentation's examples keep a client's key under; the service does not read it. */
const clientName = "WAYPOST_API_KEY";

/** Names that look like options and are none: most likely a slip of the pen, worth a warning at the start. */
export function unknownOptions(environment: Environment = process.env): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith("WAYPOST_") && name !== clientName && !Object.hasOwn(options, name.replace(/_FILE$/, "")),
  );
}
