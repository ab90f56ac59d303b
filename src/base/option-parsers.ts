import { statSync } from "node:fs";
import { isIP } from "node:net";
import { isAbsolute, resolve } from "node:path";
import { readDnsServer } from "./dns-server.ts";

/** Parsers of options. Each returns the value, or throws an Error whose message says what is valid. */

/** A secret that can be sent in a header. */
export function token(value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error("it must be ASCII characters without spaces");
  return value;
}

/** A secret from which keys are derived. */
export function longSecret(value: string): string {
  if (value.trim().length < 32) throw new Error("it must have at least 32 characters");
  return value.trim();
}

/** Bytes in base64url, with or without padding. */
export function base64Url(value: string): string {
  if (!/^[A-Za-z0-9_-]{16,}={0,2}$/.test(value)) throw new Error("it must be base64url text of at least 16 characters");
  return value;
}

/** The URL of a service such as an ACME directory: https, or http on this machine. */
export function secureUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = url?.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url === undefined || !(url.protocol === "https:" || isLocal) || url.username + url.password !== "") {
    throw new Error("it must be an https:// URL");
  }
  return url;
}

/** A workspace's name, trimmed. */
export function workspaceName(value: string): string {
  const name = value.trim();
  if (name === "" || name.length > 190) throw new Error("it must have 1 to 190 characters");
  return name;
}

/** An address or host name to listen on. */
export function listenHost(value: string): string {
  if (isIP(value) === 0 && !isHostName(value)) throw new Error("it must be an address or a host name, without a port");
  return value;
}

/** A host name without a port, or an empty text. */
export function hostName(value: string): string {
  if (value !== "" && !isHostName(value)) throw new Error("it must be a host name, without scheme and port");
  return value;
}

function isHostName(value: string): boolean {
  return value.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(value);
}

/** The target of the access log: "stdout", or the absolute path of a file. */
export function accessLogTarget(value: string): string {
  if (value === "stdout") return value;
  if (!isAbsolute(value) || value.endsWith("/")) throw new Error("it must be stdout or the absolute path of a file");
  return value;
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`it must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

/** The words true and false. */
export function flag(value: string): boolean {
  if (value !== "true" && value !== "false") throw new Error("it must be true or false");
  return value === "true";
}

/** One of the words. */
export function oneOf<const Values extends readonly string[]>(...values: Values): (value: string) => Values[number] {
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

/** An http or https URL without path, query or user. */
export function origin(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isBare =
    url !== undefined && (url.pathname === "/" || url.pathname === "") && url.search === "" && url.hash === "";
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isBare || url.username + url.password !== "") {
    throw new Error("it must be http:// or https:// with a host and an optional port, and nothing else");
  }
  return url;
}

/** The path of a folder, made absolute. */
export function folder(value: string): string {
  // DuckDB parses the part of a path after a question mark as options.
  if (value.trim() === "" || /[\0?]/.test(value)) throw new Error("it must be the path of a folder, without a ?");
  return resolve(value);
}

/** The path of an existing file, made absolute. */
export function file(value: string): string {
  if (statSync(value, { throwIfNoEntry: false })?.isFile() !== true) throw new Error("there is no such file");
  return resolve(value);
}

/** A postgres:// URL. */
export function postgresUrl(value: string): string {
  if (!/^postgres(ql)?:\/\/[^/]/.test(value) || !URL.canParse(value)) {
    throw new Error("it must be a postgres:// URL; leave the option out to use SQLite");
  }
  return value;
}

/** The URL of a database in ClickHouse, with its user and password. */
export function clickHouseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isHttp || url.search !== "" || url.hash !== "") {
    throw new Error("it must be https:// or http:// with a host, an optional user:password@, a port and a database");
  }
  if (!/^\/[A-Za-z0-9_-]+$/.test(url.pathname)) {
    throw new Error("it must end with the name of a database, such as /waypost");
  }
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    throw new Error("user and password must have @ : / % written as %40 %3A %2F %25");
  }
  return value;
}

/** Addresses and networks, comma-separated. */
export function networks(value: string): string[] {
  return list(value).map((network) => {
    const [address = "", bits, ...more] = network.split("/");
    const bitsMax = address.includes(":") ? 128 : 32;
    const bitsAreRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
    if (!isAddress(address) || !bitsAreRight || more.length > 0) {
      throw new Error(`"${network}" is neither an IP address nor a network`);
    }
    return network;
  });
}

/** Addresses, comma-separated. */
export function addresses(value: string): string[] {
  return list(value).map((address) => {
    if (!isAddress(address)) throw new Error(`"${address}" is not an IP address`);
    return address;
  });
}

/** IP addresses of DNS servers with optional ports, comma-separated. */
export function dnsServers(value: string): string[] {
  return list(value).map((server) => {
    if (isIP(server) === 0 ? readDnsServer(server) === undefined : !isAddress(server)) {
      throw new Error(`"${server}" is not the IP address of a DNS server`);
    }
    return server;
  });
}

function isAddress(value: string): boolean {
  // A zone ("%eth0") names a network interface of this machine only.
  return isIP(value) !== 0 && !value.includes("%");
}

/** URL schemes, comma-separated; without those that run scripts or read local files. */
export function schemes(value: string): string[] {
  return list(value).map((scheme) => {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || ["javascript", "data", "vbscript", "file", "blob"].includes(scheme)) {
      throw new Error(`"${scheme}" is not a scheme that a destination may have`);
    }
    return scheme;
  });
}

/** An e-mail address, in lower case. */
export function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254) throw new Error("it must be an e-mail address");
  return value.trim().toLowerCase();
}

/** An API key chosen by the operator. */
export function bootstrapKey(value: string): string {
  if (!/^[A-Za-z0-9_-]{24,256}$/.test(value)) {
    throw new Error("it must be 24 to 256 characters of A-Z a-z 0-9 _ -");
  }
  return value;
}

/** A user's password. */
export function password(value: string): string {
  if (value.length < 10 || value.length > 1_000) throw new Error("it must be 10 to 1,000 characters");
  return value;
}

/** The URL of a mail server, with an optional user and password. */
export function smtpUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const hasRightScheme = url?.protocol === "smtp:" || url?.protocol === "smtps:";
  if (url === undefined || !hasRightScheme || url.hostname === "" || !isBareAuthority(url)) {
    throw new Error("it must be smtp:// or smtps:// with a host, an optional user:password@ and an optional port");
  }
  if (!isDecodable(url.username) || !isDecodable(url.password) || (url.username === "") !== (url.password === "")) {
    throw new Error("it must have both user and password, with @ : / % written as %40 %3A %2F %25");
  }
  return url;
}

function isBareAuthority({ pathname, search, hash }: URL): boolean {
  return (pathname === "" || pathname === "/") && search === "" && hash === "";
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The sender of mails: an address, or a name with an address in angle brackets. */
export function mailSender(value: string): string {
  const [, name = "", bracketed, bare] = /^(?:([^<>"\r\n]*)<([^<>]*)>|([^<>]*))$/.exec(value.trim()) ?? [];
  const address = bracketed ?? bare ?? "";
  if (!/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(address) || address.length > 254 || name.length > 200) {
    throw new Error("it must be an e-mail address, or a name and an address in angle brackets");
  }
  return value.trim();
}

/** Where backups go: a folder, or a prefix in a bucket. A prefix is "" or ends with a slash. */
export type BackupPlace = { kind: "folder"; path: string } | { kind: "s3"; bucket: string; prefix: string };

/** A folder, made absolute, or `s3://bucket/prefix`. */
export function backupPlace(value: string): BackupPlace {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: "folder", path: folder(value) };
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/i.exec(value) ?? [];
  if (bucket === undefined || path.length > 900 || path.startsWith("/") || path.includes("//")) {
    throw new Error(
      "it must be a folder, or s3:// with a bucket, whose name has 3 to 63 characters, and an optional prefix",
    );
  }
  return { kind: "s3", bucket, prefix: path === "" || path.endsWith("/") ? path : `${path}/` };
}

/** Public keys of age, comma-separated. */
export function ageRecipients(value: string): string[] {
  return list(value).map((recipient) => {
    if (!/^age1[a-z0-9-]{20,}$/.test(recipient)) throw new Error(`"${recipient}" is not a public key of age`);
    return recipient;
  });
}
