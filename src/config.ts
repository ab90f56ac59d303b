import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

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

/** As one writes it in a header. */
function token(value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error("it must be ASCII characters without spaces");
  return value;
}

function workspaceName(value: string): string {
  const name = value.trim();
  if (name === "" || name.length > 190) throw new Error("it must have 1 to 190 characters");
  return name;
}

function listenHost(value: string): string {
  if (isIP(value) === 0 && !isHostName(value)) throw new Error("it must be an address or a host name, without a port");
  return value;
}

function hostName(value: string): string {
  if (value !== "" && !isHostName(value)) throw new Error("it must be a host name, without scheme and port");
  return value;
}

function isHostName(value: string): boolean {
  return value.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(value);
}

function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`it must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

function flag(value: string): boolean {
  if (value !== "true" && value !== "false") throw new Error("it must be true or false");
  return value === "true";
}

function oneOf<const Values extends readonly string[]>(...values: Values): (value: string) => Values[number] {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`it must be one of ${values.join(", ")}`);
    return found;
  };
}

function list(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function origin(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isBare =
    url !== undefined && (url.pathname === "/" || url.pathname === "") && url.search === "" && url.hash === "";
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isBare || url.username + url.password !== "") {
    throw new Error("it must be http:// or https://, a host, and nothing behind it but a port");
  }
  return url;
}

function folder(value: string): string {
  // DuckDB takes what follows a question mark in a path for options of its own.
  if (value.trim() === "" || /[\0?]/.test(value)) throw new Error("it must be the path of a folder, without a ?");
  return resolve(value);
}

function file(value: string): string {
  if (statSync(value, { throwIfNoEntry: false })?.isFile() !== true) throw new Error("there is no such file");
  return resolve(value);
}

function postgresUrl(value: string): string {
  if (!/^postgres(ql)?:\/\/[^/]/.test(value) || !URL.canParse(value)) {
    throw new Error("it must be a postgres:// address; leave it out to use SQLite");
  }
  return value;
}

function networks(value: string): string[] {
  return list(value).map((network) => {
    const [address = "", bits, ...more] = network.split("/");
    const bitsMax = address.includes(":") ? 128 : 32;
    const bitsAreRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
    if (!isAddress(address) || !bitsAreRight || more.length > 0) {
      throw new Error(`"${network}" is neither an address nor a network`);
    }
    return network;
  });
}

function addresses(value: string): string[] {
  return list(value).map((address) => {
    if (!isAddress(address)) throw new Error(`"${address}" is no address`);
    return address;
  });
}

function dnsServers(value: string): string[] {
  return list(value).map((server) => {
    const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(server) ?? [];
    const hasPort = isIP(v6 ?? "") === 6 || isIP(v4 ?? "") === 4;
    if (!isAddress(server) && !(hasPort && Number(port) >= 1 && Number(port) <= 65_535)) {
      throw new Error(`"${server}" is no address of a DNS server`);
    }
    return server;
  });
}

function isAddress(value: string): boolean {
  // A zone ("%eth0") names a network card, which nothing outside this machine can mean.
  return isIP(value) !== 0 && !value.includes("%");
}

function schemes(value: string): string[] {
  return list(value).map((scheme) => {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || ["javascript", "data", "vbscript", "file", "blob"].includes(scheme)) {
      throw new Error(`"${scheme}" is no scheme a destination may have`);
    }
    return scheme;
  });
}

function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254) throw new Error("it must be an e-mail address");
  return value.trim().toLowerCase();
}

function bootstrapKey(value: string): string {
  if (!/^[A-Za-z0-9_-]{24,256}$/.test(value)) {
    throw new Error("it must be 24 to 256 characters of A-Z a-z 0-9 _ -");
  }
  return value;
}

function password(value: string): string {
  if (value.length < 10 || value.length > 1_000) throw new Error("it must be 10 to 1,000 characters");
  return value;
}

/** Paths inside the data folder. */
export function dataPaths(config: Pick<Config, "WAYPOST_DATA">) {
  const data = config.WAYPOST_DATA;
  return {
    data,
    sqlite: join(data, "waypost.sqlite"),
    clicks: join(data, "clicks.duckdb"),
    spool: join(data, "spool"),
    lock: join(data, "waypost.lock"),
    adminSocket: adminSocket(data),
  };
}

/** What the operating systems allow for the path of a socket, less a margin. */
const socketPathBytesMax = 100;

function adminSocket(data: string): string {
  const path = join(data, "admin.sock");
  if (Buffer.byteLength(path) <= socketPathBytesMax) return path;
  const name = new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 16);
  return join(tmpdir(), `waypost-${process.getuid?.() ?? 0}`, `${name}.sock`);
}
