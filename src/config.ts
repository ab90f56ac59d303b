import { readFileSync } from "node:fs";
import { accountOptions } from "./base/account-options.ts";
import { backupOptions } from "./base/backup-options.ts";
import { clickHouseOptions } from "./base/clickhouse-options.ts";
import { equalPorts } from "./base/equal-ports.ts";
import { messageOf } from "./base/message-of.ts";
import { oidcOptions } from "./base/oidc-options.ts";
import {
  accessLogTarget,
  addresses,
  base64Url,
  bootstrapKey,
  dnsServers,
  email,
  file,
  flag,
  folder,
  hostName,
  listenHost,
  longSecret,
  mailSender,
  networks,
  oneOf,
  origin,
  password,
  postgresUrl,
  schemes,
  secureUrl,
  smtpUrl,
  token,
  wholeNumber,
  workspaceName,
} from "./base/option-parsers.ts";

/**
 * TABLE of options, which nothing else reads from the environment. Every option also has the form NAME_FILE, the path of a
 * file with the value, for secrets that an orchestrator mounts.
 */
export const options = {
  WAYPOST_PORT: {
    help: "Port to listen on; 0 for any free port",
    example: "3000",
    fallback: "3000",
    parse: wholeNumber(0, 65_535),
  },
  WAYPOST_HOST: { help: "Address to listen on", example: "0.0.0.0", fallback: "0.0.0.0", parse: listenHost },
  WAYPOST_HTTPS_PORT: {
    help: "Port with TLS, for links on HTTPS without a proxy; 0 for any free port, none when empty",
    example: "443",
    parse: wholeNumber(0, 65_535),
  },
  WAYPOST_HTTP_PORT: {
    help: "Port without TLS that answers certificate authorities and sends visitors to HTTPS; 0 for any free port, none when empty",
    example: "80",
    parse: wholeNumber(0, 65_535),
  },
  WAYPOST_URL: {
    help: "Public URL of the service; its host is the built-in domain. The default follows WAYPOST_PORT",
    example: "https://links.example.com",
    fallback: defaultUrl(3000),
    parse: origin,
  },
  WAYPOST_DATA: { help: "The data folder", example: "./data", fallback: "./data", parse: folder },
  WAYPOST_DATABASE_URL: {
    help: "PostgreSQL database to use instead of the SQLite file in the data folder",
    example: "postgres://user:password@host:5432/waypost",
    parse: postgresUrl,
    secret: true,
  },
  ...clickHouseOptions,
  WAYPOST_SPOOL_SYNC_MS: {
    help: "How often clicks are synced to disk, in milliseconds; a power failure loses at most the clicks of that time",
    example: "50",
    fallback: "50",
    parse: wholeNumber(1, 60_000),
  },
  WAYPOST_SPOOL_MAX_BYTES: {
    help: "Bytes of clicks that wait while the click store is unavailable; more clicks are dropped and counted as dropped",
    example: "4294967296",
    fallback: String(4 * 1024 ** 3),
    parse: wholeNumber(1024 ** 2, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_STORE_MAX_BYTES: {
    help: "Bytes of stored clicks above which long texts of visitors are cut; clicks are still counted and stored. 0 for no limit",
    example: "107374182400",
    fallback: "0",
    parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_LOOKUP_MAX_BYTES: {
    help: "With PostgreSQL, the largest copy of the links that each node keeps for redirects, about 300 bytes per link; beyond it the copy has only some links, and redirects query PostgreSQL for the others",
    example: "17179869184",
    fallback: String(16 * 1024 ** 3),
    parse: wholeNumber(1024 ** 2, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_LIMITED_LINKS_WHILE_DOWN: {
    help: "What links with maxClicks do while the database does not answer: refuse visitors with 503, or redirect, if need be beyond the limit",
    example: "redirect",
    fallback: "refuse",
    parse: oneOf("refuse", "redirect"),
  },
  WAYPOST_AUDIT_LOG_DAYS: {
    help: "Days that entries of audit logs are kept",
    example: "400",
    fallback: "400",
    parse: wholeNumber(1, 3_650),
  },
  WAYPOST_EXPORTS_MAX_BYTES: {
    help: "Disk space for running exports of clicks, in bytes; one user may take half of it",
    example: "34359738368",
    fallback: String(32 * 1024 ** 3),
    parse: wholeNumber(1024 ** 2, Number.MAX_SAFE_INTEGER),
  },
  WAYPOST_WORKERS: {
    help: "Number of redirect workers, about one per core (Linux only); 0 serves everything from one process",
    example: "2",
    fallback: "0",
    parse: wholeNumber(0, 64),
  },
  WAYPOST_DRAIN_SECONDS: {
    help: "Seconds between a signal to stop and the end of the service, in which /readyz answers 503 and everything else works",
    example: "10",
    fallback: "0",
    parse: wholeNumber(0, 300),
  },
  WAYPOST_TRUSTED_PROXIES: {
    help: "IP addresses or networks of proxies whose X-Forwarded-For is trusted, comma-separated",
    example: "127.0.0.1,10.0.0.0/8",
    fallback: "",
    parse: networks,
  },
  WAYPOST_RESOLVERS: {
    help: "DNS servers, comma-separated; the system's servers when empty",
    example: "1.1.1.1,[2606:4700::1111]:53",
    fallback: "",
    parse: dnsServers,
  },
  WAYPOST_CNAME_TARGET: {
    help: "Target of the CNAME records of short domains; the host of WAYPOST_URL when empty",
    example: "cname.example.com",
    fallback: "",
    parse: hostName,
  },
  WAYPOST_IPS: {
    help: "Targets of the A and AAAA records of short domains, comma-separated",
    example: "192.0.2.10,2001:db8::10",
    fallback: "",
    parse: addresses,
  },
  WAYPOST_GEO_DATABASE: {
    help: "An mmdb file of countries or cities, instead of the included country database",
    example: "/var/lib/geo/city.mmdb",
    parse: file,
  },
  WAYPOST_UNVERIFIED_REDIRECTS: {
    help: "true lets links on unverified domains redirect; for a service with one owner",
    example: "true",
    fallback: "false",
    parse: flag,
  },
  WAYPOST_APP_SCHEMES: {
    help: "URL schemes of destinations besides http and https, comma-separated",
    example: "myapp,fb",
    fallback: "",
    parse: schemes,
  },
  WAYPOST_RATE_LIMIT_PER_MINUTE: {
    help: "API calls per minute and user, for all their keys together and for all their sessions together; 0 turns all limits off",
    example: "600",
    fallback: "600",
    parse: wholeNumber(0, 1_000_000_000),
  },
  WAYPOST_WORKSPACE_RATE_LIMIT_PER_MINUTE: {
    help: "API calls per minute and workspace; 0 turns this limit off. The default is 5 times WAYPOST_RATE_LIMIT_PER_MINUTE",
    example: "3000",
    parse: wholeNumber(0, 1_000_000_000),
  },
  ...accountOptions,
  WAYPOST_SMTP_URL: {
    help: "Mail server for invites, links to sign in, password resets, reports and alerts; smtp:// (port 587, STARTTLS if offered) or smtps:// (port 465)",
    example: "smtps://user:password@mail.example.com",
    parse: smtpUrl,
    secret: true,
  },
  WAYPOST_MAIL_FROM: {
    help: "Sender of mails; the default is waypost@ and the host of WAYPOST_URL",
    example: "Acme Links <links@example.com>",
    parse: mailSender,
  },
  WAYPOST_SECRET: {
    help: "Encrypts private keys of certificates, secrets of one-time codes, and what sign-up links and sign-ins in progress carry: 32 or more characters. When unset, the first start creates one in the data folder",
    example: "a-random-text-of-at-least-32-characters",
    parse: longSecret,
    secret: true,
  },
  WAYPOST_ACME_ACCEPT_TERMS: {
    help: "true accepts the terms of the certificate authority; without it, no certificates are ordered",
    example: "true",
    fallback: "false",
    parse: flag,
  },
  WAYPOST_ACME_DIRECTORY: {
    help: "ACME directory of the certificate authority",
    example: "https://acme-v02.api.letsencrypt.org/directory",
    fallback: "https://acme-v02.api.letsencrypt.org/directory",
    parse: secureUrl,
  },
  WAYPOST_ACME_EMAIL: {
    help: "E-mail address for the authority's notices about the account",
    example: "operator@example.com",
    parse: email,
  },
  WAYPOST_ACME_EAB_KEY_ID: {
    help: "Key identifier of an external account binding, if the authority requires one",
    example: "kid-1",
    parse: token,
  },
  WAYPOST_ACME_EAB_HMAC_KEY: {
    help: "HMAC key of the external account binding, in base64url",
    example: "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W",
    parse: base64Url,
    secret: true,
  },
  WAYPOST_ACME_CA: {
    help: "PEM file with the roots to trust for the connection to the authority, instead of the system's",
    example: "/etc/waypost/acme-root.pem",
    parse: file,
  },
  ...oidcOptions,
  ...backupOptions,
  WAYPOST_METRICS_TOKEN: {
    help: "Bearer token that /metrics requires; without it, /metrics answers this machine only",
    example: "a-long-random-text",
    parse: token,
    secret: true,
  },
  WAYPOST_ACCESS_LOG: {
    help: "Where requests to the API and the dashboard are logged: stdout, or the path of a file. Not set: nowhere",
    example: "/var/log/waypost/access.jsonl",
    parse: accessLogTarget,
  },
  WAYPOST_LOG_LEVEL: {
    help: "Minimum level of log lines: debug, info, warn or error",
    example: "info",
    fallback: "info",
    parse: oneOf("debug", "info", "warn", "error"),
  },
  WAYPOST_BOOTSTRAP_EMAIL: {
    help: "E-mail address of the user that the first start creates",
    example: "owner@example.com",
    parse: email,
  },
  WAYPOST_BOOTSTRAP_API_KEY: {
    help: "API key of the first user: 24 or more characters of A-Z a-z 0-9 _ -",
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
  /** The default when neither NAME nor NAME_FILE is set; without it, the option is undefined then. */
  fallback?: string;
  /** Variables of other programs that are read, in this order, when neither NAME nor NAME_FILE is set. */
  standardNames?: readonly string[];
  /** Throws an Error whose message says what is valid. */
  parse: (text: string) => Value;
  /** Never printed. */
  secret?: true;
};

/** The name of an option, which is the name of its environment variable. */
export type OptionName = keyof typeof options;
type ParsedBy<Name extends OptionName> = ReturnType<(typeof options)[Name]["parse"]>;
type HasFallback<Name extends OptionName> = (typeof options)[Name] extends { fallback: string } ? true : false;

/** The parsed options by name; an option without a fallback may be undefined. */
export type Config = {
  readonly [Name in OptionName]: HasFallback<Name> extends true ? ParsedBy<Name> : ParsedBy<Name> | undefined;
} & {
  /** True if the operator has set WAYPOST_URL. */
  readonly isUrlSet: boolean;
};

/** Where an option's value comes from. */
type OptionSource = "default" | "environment" | "file" | "unset";

type Environment = Record<string, string | undefined>;

/** An invalid option. The message is one line: which option, why, and what is valid. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads and checks all options. Throws ConfigError for the first invalid one. */
export function readConfig(environment: Environment = process.env): Config {
  const values: Record<string, unknown> = { isUrlSet: readOption("WAYPOST_URL", environment).source !== "default" };
  for (const name of optionNames) values[name] = parseOption(name, readOption(name, environment).text);
  // Every name has the value of its parser, which is the definition of Config.
  const config = values as Config;
  const mistake = equalPorts(config);
  if (mistake !== undefined) throw new ConfigError(mistake);
  return config;
}

/** Returns the default URL of a service on this port. */
export function defaultUrl(port: number | string): string {
  return `http://localhost:${port}`;
}

/**
 * Returns the configuration with the default URL for the actual port, which is unknown before listening when the port
 * is 0.
 */
export function withActualPort(config: Config, port: number): Config {
  if (config.isUrlSet) return config;
  return { ...config, WAYPOST_URL: new URL(defaultUrl(port)) };
}

/** The names of all options, in the order of the table. */
export const optionNames = Object.keys(options) as OptionName[];

/** Returns the text of an option and its source. */
export function readOption(
  name: OptionName,
  environment: Environment = process.env,
): { text: string | undefined; source: OptionSource } {
  const direct = environment[name];
  if (direct !== undefined && direct !== "") return { text: direct, source: "environment" };
  const path = environment[`${name}_FILE`];
  if (path !== undefined && path !== "") return { text: readOptionFile(name, path), source: "file" };
  const { standardNames = [], fallback }: Option<unknown> = options[name];
  const standard = standardNames.map((each) => environment[each]).find((value) => value !== undefined && value !== "");
  if (standard !== undefined) return { text: standard, source: "environment" };
  const text = name === "WAYPOST_URL" ? urlOfPort(environment) : fallback;
  return { text, source: text === undefined ? "unset" : "default" };
}

/** Needs no check: an invalid port is rejected by its own option, which is read before. */
function urlOfPort(environment: Environment): string {
  return defaultUrl(readOption("WAYPOST_PORT", environment).text ?? "");
}

function readOptionFile(name: OptionName, path: string): string {
  const text = readTextFile(path);
  const names = `${name}_FILE names ${path}`;
  if (text === undefined) throw new ConfigError(`${names}, which cannot be read. Give the path of a readable file.`);
  // Not treated as unset: an empty secret was most likely not mounted.
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
    const reason = messageOf(error);
    const shown = option.secret ? "" : ` is ${JSON.stringify(text.slice(0, 200))}`;
    throw new ConfigError(oneLine(`${name}${shown}: ${reason}. Example: ${name}=${option.example}`));
  }
}

function oneLine(message: string): string {
  return message.replaceAll(/\s*[\r\n]\s*/g, " ");
}

/** The variable that the documentation's examples use for a client's key; the service does not read it. */
const clientName = "WAYPOST_API_KEY";

/** Returns variables that look like options but are not, most likely typing errors. */
export function unknownOptions(environment: Environment = process.env): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith("WAYPOST_") && name !== clientName && !Object.hasOwn(options, name.replace(/_FILE$/, "")),
  );
}
