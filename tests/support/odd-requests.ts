import { pick, type Random } from "./clicks.ts";
import { addressRows, agentRows, refererRows } from "./visits.ts";

/** Hosts of odd requests: the instance's domain, a domain of a workspace, and unknown ones. */
export type OddHosts = { own: string; short: string };

const methods = ["GET", "GET", "GET", "GET", "GET", "HEAD", "HEAD", "OPTIONS", "PUT", "DELETE", "get", "GETS", "BREW"];

/** Keys of links. The paths below resemble them. */
export const oddKeys = ["spring", "Plans/2026/plan.v2", "ÄÖ-Straße", "\u{1f525}", "a.b", "q", "x_y-z"];
const oddPaths = [
  "locked",
  "targeted",
  "framed",
  ...["", "nothing", "spring/", "/spring", "a//b", "./spring", "../spring", "x/../spring", "x/./spring", "%2e/spring"],
  ...["x/%2E%2e/spring", "spring/.", "spring/..", ".well-known/assetlinks.json", ".well-known/nothing", ".spring"],
  ...[
    "a\\b",
    "\\spring",
    'a"b',
    "a<b>",
    "a{b}",
    "a|b",
    "a^b",
    "a`b",
    "a[b]",
    "a'b",
    "%",
    "%zz",
    "%00",
    "%ff",
    "%c3%28",
  ],
  ...["a#b", "a b", "a\tb", "app", "healthz", "docs/nothing", "App", "v1", "readyz/x", "a;b=c", "a,b", "a+b", "a@b:c"],
  ...["a\x7f", "a\x01b", "a\x00b", "ä", "spr\xefng", "a".repeat(300), "%61".repeat(200), "a".repeat(3_000)],
];
const queries = [
  ...["?", "?a=1", "?a=1&a=2&b", "?qr=1", "?dub-no-track", "?dub-no-track=1&x=%26", "?utm_source=%C3%A4", "?a=%zz"],
  ...[
    "?a=1?b=2",
    "??",
    "?a=b#c",
    "?x=../../y",
    "?a[]=1",
    "?a='",
    '?a="',
    "?a=<b>",
    "?a={b}",
    "?a=|",
    "?a=\\",
    "?a=%00",
  ],
  ...["?a=ä", "?a=\x7f", "?&&", "?=", `?long=${"x".repeat(2_000)}`],
];
const hostForms: ((host: string) => string)[] = [
  (host) => host.toUpperCase(),
  (host) => `${host}.`,
  (host) => `${host}..`,
  (host) => `${host}:80`,
  (host) => `${host}:`,
  (host) => `${host}:x`,
  (host) => `  ${host}\t`,
  (host) => `${host}/spring`,
  (host) => `user@${host}`,
  (host) => `${host} ${host}`,
  (host) => `${host},${host}`,
  (host) => `${host}?x`,
  (host) => `${host}#x`,
  (host) => `${host}\\x`,
];
const otherHosts = [
  "",
  "unknown.example",
  "127.0.0.1",
  "[::1]",
  "[::1]:80",
  "[",
  "::1",
  "a".repeat(300),
  "ä.example",
  "_",
];
const names = ["User-Agent", "Referer", "Accept-Language", "X-Forwarded-For", "Sec-Purpose", "Purpose", "X-Purpose"];
const moreNames = ["X-Moz", "DNT", "Sec-GPC", "Accept", "Cookie", "X-Odd", "__proto__", "Range", "If-None-Match"];
const values = [
  ...[
    "",
    "1",
    "0",
    "prefetch",
    "prefetch;prerender",
    "preview",
    "de",
    "en-US,en;q=0.5",
    "*",
    "de\t,en",
    "a, b",
    "bytes=0-1",
  ],
  ...['"a"', "a:b", ":", "a\\b", "x".repeat(500), "ä", "\x7f", "\x00", "a\x01b", "198.41.0.4", "198.41.0.4, 10.0.0.1"],
];
/** Header lines about the body or the connection, and invalid ones. */
const oddLines = [
  ...["Connection: keep-alive", "Connection: Close", "connection:close", "Connection: x", "Connection: close, x"],
  ...["Connection:", "Connection: keep-alive\r\nConnection: close", "Content-Length: 0", "Content-Length:", "X-Odd"],
  ...["Content-Length: 0\r\nContent-Length: 0", "Content-Length: -1", "Transfer-Encoding: x", "X Y: a", " X: folded"],
  ...["X-Odd : a", ": a", "X-Odd: a\r", "X-Odd: a\n", "X\x00: a", "(x): a", "Upgrade: h2c", "Host: other.example"],
  ...["User-Agent: a\r\n folded", "TE: trailers", "Keep-Alive: timeout=5", `X-Odd: ${"a".repeat(17_000)}`, "\tX: a"],
];
const versions = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/1.2",
  "http/1.1",
  "HTTP/2.0",
  "HTTP/1.1 ",
  "HTTP/11",
  "",
];

/** The bytes of a request without a body: one like a browser's, or one with a few odd parts. */
export function oddRequest(random: Random, hosts: OddHosts): Buffer {
  const isOdd = (share: number) => random() < share;
  const method = isOdd(0.3) ? pick(random, methods) : "GET";
  const path = isOdd(0.45) ? pick(random, oddPaths) : spelled(random, pick(random, oddKeys));
  const query = isOdd(0.4) ? pick(random, queries) : "";
  const version = isOdd(0.05) ? pick(random, versions) : "HTTP/1.1";
  const target = isOdd(0.02)
    ? pick(random, ["*", "x", `http://${hosts.own}/spring`, "//spring", ""])
    : `/${path}${query}`;
  const lines = [`${method} ${target} ${version}`, ...hostLines(random, hosts), ...fieldLines(random)];
  if (isOdd(0.12)) lines.splice(1 + Math.floor(random() * lines.length), 0, pick(random, oddLines));
  const end = isOdd(0.02) ? "\n" : "\r\n";
  // Most letters beyond ASCII are encoded in UTF-8, some in Latin-1.
  return Buffer.from(`${lines.join(end)}${end}\r\n\r\n`.slice(0, -2), isOdd(0.1) ? "latin1" : "utf8");
}

function spelled(random: Random, key: string): string {
  const encoded = encodeURIComponent(key).replaceAll("%2F", "/");
  switch (Math.floor(random() * 8)) {
    case 0:
      return encoded.toUpperCase();
    case 1:
      return encoded.toLowerCase();
    case 2:
      return encodeURIComponent(key.normalize("NFD"));
    case 3:
      return `%${(encoded.charCodeAt(0) % 128).toString(16).padStart(2, "0")}${encoded.slice(1)}`;
    case 4:
      return key;
    default:
      return encoded;
  }
}

function hostLines(random: Random, hosts: OddHosts): string[] {
  const host = pick(random, [hosts.own, hosts.short]);
  const share = random();
  if (share < 0.8) return [`Host: ${host}`];
  if (share < 0.9) return [`${pick(random, ["host", "HOST", "hOsT"])}:${pick(random, hostForms)(host)}`];
  return share < 0.98 ? [`Host: ${pick(random, otherHosts)}`] : [];
}

function fieldLines(random: Random): string[] {
  const lines = [`User-Agent: ${pick(random, agentRows).agent}`];
  if (random() < 0.5) lines.push(`Referer: ${pick(random, refererRows).header}`);
  if (random() < 0.5) lines.push(`X-Forwarded-For: ${pick(random, addressRows).address}`);
  while (random() < 0.4) {
    const name = pick(random, random() < 0.7 ? names : moreNames);
    const spelling = pick(random, [name, name.toLowerCase(), name.toUpperCase()]);
    lines.push(`${spelling}:${pick(random, ["", " ", "\t", "  "])}${pick(random, values)}`);
  }
  return lines;
}
