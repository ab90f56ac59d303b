/**
 * The configurations of proxies that the documentation recommends, with the real programs: Caddy with deploy/Caddyfile,
 * nginx with the recipe in docs/operations.md, and Traefik with deploy/traefik.
 *
 * Needs caddy and nginx, Debian packages of the same names. A program that is missing is reported and its tests are
 * skipped, except in continuous integration, which sets PROXIES_REQUIRED.
 *
 * Traefik is always optional: it is no Debian package, and a build from its Go module takes eleven minutes of a core.
 * `go install` refuses the module, so copy its folder: `go mod download -json github.com/traefik/traefik/v3@v3.6.12` prints
 * the path. Make the copy writable, and run in it `CGO_ENABLED=0 go build -o FOLDER_IN_PATH/traefik ./cmd/traefik`.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { reservePorts } from "../src/http1/reserve-ports.ts";
import { createAuthority } from "./support/certificates.ts";
import { expectClicks } from "./support/http1-clients.ts";
import { type Pebble, startPebble } from "./support/pebble.ts";
import { fieldOf, openRaw } from "./support/raw-connection.ts";
import { browser, eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, onShortDomain } from "./support/short-domains.ts";

const instanceHost = "links.example.com";
const startMsMax = 60_000;
const documented = "127.0.0.1:3000";
/** Claims an address in the USA. */
const american = "X-Forwarded-For: 198.41.0.4\r\nX-Real-IP: 198.41.0.4\r\nForwarded: for=198.41.0.4\r\n";
let server: TestService;
let domain: string;
const ends: (() => unknown)[] = [];

onShortDomain(
  startService,
  "sqlite",
  { WAYPOST_URL: `https://${instanceHost}`, WAYPOST_TRUSTED_PROXIES: "127.0.0.1" },
  async (opened) => {
    ({ server, domain } = opened);
    const link = { url: "https://example.com/page", domain, key: "k" };
    await server.call("POST", "/links", { body: link });
    await server.call("PATCH", `/domains/${domain}`, { body: { hstsMaxAgeSeconds: 86_400 } });
  },
);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Whether to skip the tests of a Debian package. Throws when continuous integration lacks it. */
function isMissing(program: string): boolean {
  if (programPath(program) !== null) return false;
  const message = `${program} is not installed (Debian package "${program}").`;
  if (process.env["PROXIES_REQUIRED"] !== undefined) throw new Error(message);
  console.warn(`Skipped: ${message}`);
  return true;
}

/** Whether to skip the test of Traefik, which continuous integration lacks, too. */
function isTraefikMissing(): boolean {
  const isMissing = programPath("traefik") === null;
  if (isMissing) console.warn("Skipped: traefik is not in PATH. The comment of this file says how to build it.");
  return isMissing;
}

function programPath(program: string): string | null {
  return Bun.which(program, { PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` });
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waypost-proxy-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a program until the tests end. */
function run(program: string, words: string[], folder: string): void {
  const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = Bun.spawn([programPath(program) ?? program, ...words], {
    ...{ env: environment, stdin: "ignore", stdout: "ignore", stderr: Bun.file(join(folder, "errors")) },
  });
  ends.push(async () => {
    child.kill();
    await child.exited;
  });
}

const newPort = () => reservePorts({ port: 0, hostname: "127.0.0.1" }).port;
const backend = () => new URL(server.url).host;

type Visit = { path?: string; ca: string; fields?: string; announcedAddress?: string };

/** A visit through a proxy with TLS; undefined when the handshake fails. */
async function visit(port: number, host: string, { path = "/k", ca, fields = "", announcedAddress }: Visit) {
  const options = { tls: { servername: host, ca }, ...(announcedAddress !== undefined && { announcedAddress }) };
  const connection = await openRaw(`https://127.0.0.1:${port}`, options);
  try {
    const agent = `User-Agent: ${browser["User-Agent"]}\r\n`;
    await connection.send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${agent}${fields}Connection: close\r\n\r\n`);
    return (await connection.answers(["GET"]))[0];
  } catch {
    return undefined;
  } finally {
    connection.socket.destroy();
  }
}

/**
 * Visits a new link with a forged address in the header, waits until a live stream through the proxy has the click, and
 * returns the countries of the link's clicks.
 */
async function countriesOfForgedVisit(port: number, visitor: Pick<Visit, "ca" | "announcedAddress">) {
  const link = await addLink(server, { url: "https://example.com/forged", domain });
  const tls = { servername: instanceHost, ca: visitor.ca };
  const stream = await openRaw(`https://127.0.0.1:${port}`, { tls });
  let received = "";
  stream.socket.on("data", (chunk) => {
    received += chunk;
  });
  const key = `Authorization: Bearer ${ownerKey}\r\n`;
  await stream.send(`GET /v1/events/live HTTP/1.1\r\nHost: ${instanceHost}\r\n${key}\r\n`);
  const has = (text: string) =>
    eventually(
      async () => received,
      () => received.includes(text),
      startMsMax,
    );
  try {
    // The stream misses no click after its first id.
    await has("\nid: ");
    const answer = await visit(port, domain, { ...visitor, path: `/${link.key}`, fields: american });
    expect(answer?.status).toBe(302);
    await has(link.id);
  } finally {
    stream.socket.destroy();
  }
  return await expectClicks(server, link.id, 1);
}

test.skipIf(isMissing("caddy"))(
  "Caddy with deploy/Caddyfile orders certificates for verified domains and the instance's host only",
  async () => {
    const folder = newFolder();
    const [httpsPort, httpPort] = [newPort(), newPort()];
    // Other ports, and Caddy's own authority instead of one on the Internet.
    const global = [
      ...[`http_port ${httpPort}`, `https_port ${httpsPort}`, "admin off", "local_certs", "skip_install_trust"],
      `storage file_system ${folder}`,
    ];
    const given = readFileSync(join(import.meta.dir, "../deploy/Caddyfile"), "utf8");
    const path = join(folder, "Caddyfile");
    writeFileSync(path, given.replace(/^\{$/m, `{\n\t${global.join("\n\t")}`).replaceAll(documented, backend()));
    run("caddy", ["run", "--config", path, "--adapter", "caddyfile"], folder);
    const rootFile = join(folder, "pki/authorities/local/root.crt");
    const ca = await eventually(
      async () => ((await Bun.file(rootFile).exists()) ? readFileSync(rootFile, "utf8") : ""),
      (text) => text !== "",
      startMsMax,
    );

    const answer = await eventually(
      () => visit(httpsPort, domain, { ca }),
      (found) => found !== undefined,
      startMsMax,
    );
    const pending = (await addDomain(server)).slug;

    expect([answer?.status, answer && fieldOf(answer, "location")]).toEqual([302, "https://example.com/page"]);
    expect(answer && fieldOf(answer, "strict-transport-security")).toBe("max-age=86400");
    expect((await visit(httpsPort, instanceHost, { ca, path: "/healthz" }))?.status).toBe(200);
    expect((await visit(httpsPort, domain, { ca, path: "/internal/tls-check?domain=x" }))?.status).toBe(404);
    for (const host of [pending, "unknown.example.com"]) expect(await visit(httpsPort, host, { ca })).toBeUndefined();
    const redirect = await fetch(`http://127.0.0.1:${httpPort}/k`, { headers: { Host: domain }, redirect: "manual" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([308, `https://${domain}/k`]);
    expect(await countriesOfForgedVisit(httpsPort, { ca })).toEqual({ Unknown: 1 });
  },
  2 * startMsMax,
);

test.skipIf(isMissing("nginx"))(
  "nginx with the documented recipe passes host, address and scheme",
  async () => {
    const folder = newFolder();
    const [httpsPort, httpPort] = [newPort(), newPort()];
    const authority = createAuthority();
    const { chain, privateKey } = authority.issue([domain, instanceHost]);
    writeFileSync(join(folder, "fullchain.pem"), chain);
    writeFileSync(join(folder, "privkey.pem"), privateKey);
    const recipe = /```nginx\n([\s\S]*?)```/.exec(
      readFileSync(join(import.meta.dir, "../docs/operations.md"), "utf8"),
    )?.[1];
    const servers = (recipe ?? "")
      .replaceAll(documented, backend())
      .replaceAll("/etc/ssl/waypost", folder)
      .replaceAll("listen 443", `listen 127.0.0.1:${httpsPort}`)
      .replaceAll("listen 80", `listen 127.0.0.1:${httpPort}`)
      .replaceAll(/^ *listen \[::\].*\n/gm, "");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder};`,
    );
    const path = join(folder, "nginx.conf");
    writeFileSync(
      path,
      `daemon off; pid ${folder}/pid; events {} http { access_log off; ${temporary.join(" ")} ${servers} }`,
    );
    run("nginx", ["-p", folder, "-c", path, "-e", join(folder, "error.log")], folder);
    const ca = authority.root;

    const answer = await eventually(
      () => visit(httpsPort, domain, { ca }),
      (found) => found !== undefined,
      startMsMax,
    );

    expect([answer?.status, answer && fieldOf(answer, "location")]).toEqual([302, "https://example.com/page"]);
    expect(answer && fieldOf(answer, "strict-transport-security")).toBe("max-age=86400");
    expect((await visit(httpsPort, instanceHost, { ca, path: "/healthz" }))?.status).toBe(200);
    expect((await visit(httpsPort, instanceHost, { ca, path: "/internal/tls-check?domain=x" }))?.status).toBe(403);
    const redirect = await fetch(`http://127.0.0.1:${httpPort}/k`, { headers: { Host: domain }, redirect: "manual" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([301, `https://${domain}/k`]);
    expect(await countriesOfForgedVisit(httpsPort, { ca })).toEqual({ Unknown: 1 });
  },
  2 * startMsMax,
);

/** True when a proxy offers a certificate for a name, trusted or not. */
async function hasCertificate(port: number, servername: string): Promise<boolean> {
  const socket = connectTls({ host: "127.0.0.1", port, servername, rejectUnauthorized: false });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on("secureConnect", () => resolve(true));
  socket.on("error", () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

const refusedHost = "refused.example.com";

/** Runs Traefik with deploy/traefik on other ports, with Pebble as its authority, and with one more domain. */
function runTraefik(pebble: Pebble, httpsPort: number): void {
  const folder = newFolder();
  const given = (name: string) =>
    readFileSync(join(import.meta.dir, "../deploy/traefik", name), "utf8").replaceAll("/etc/traefik", folder);
  const options = given("traefik.yaml")
    .replace('":80"', `127.0.0.1:${pebble.httpPort}`)
    // The PROXY protocol lets the test choose the address of a visitor.
    .replace('":443"', `127.0.0.1:${httpsPort}\n    proxyProtocol:\n      trustedIPs: [127.0.0.1/32]`)
    .replace(/^ +(?=email:)/m, (space) =>
      ["", `caServer: ${pebble.directory}`, `caCertificates: [${pebble.caFile}]`, ""].join(`\n${space}`),
    );
  const routes = given("waypost.yaml")
    .replace(documented, backend())
    .replace(/^( +- main: )go\.example\.com$/m, `$1${domain}\n$1${refusedHost}`);
  writeFileSync(join(folder, "traefik.yaml"), options);
  writeFileSync(join(folder, "waypost.yaml"), routes);
  run("traefik", [`--configFile=${join(folder, "traefik.yaml")}`], folder);
}

test.skipIf(isTraefikMissing())(
  "Traefik with deploy/traefik orders a certificate for each of its domains, and passes host, address, path and query",
  async () => {
    const pebble = await startPebble({ blockedNames: [refusedHost] });
    ends.push(() => pebble.close());
    const httpsPort = newPort();
    runTraefik(pebble, httpsPort);
    const ca = readFileSync(pebble.rootFile, "utf8");
    await addLink(server, { url: "https://example.com/base", domain, key: "path", forwardPath: true });

    for (const host of [domain, instanceHost]) {
      const healthy = () => visit(httpsPort, host, { ca, path: "/healthz" });
      await eventually(healthy, (found) => found !== undefined, startMsMax);
    }
    const answer = await visit(httpsPort, domain, { ca, path: "/path/https://a.example//b?c=1;d" });
    const redirect = await fetch(`http://127.0.0.1:${pebble.httpPort}/k`, {
      ...{ headers: { Host: domain }, redirect: "manual" },
    });

    expect(answer && [answer.status, fieldOf(answer, "location")]).toEqual([
      ...[302, "https://example.com/base/https://a.example//b?c=1%3Bd"],
    ]);
    expect(answer && fieldOf(answer, "strict-transport-security")).toBe("max-age=86400");
    expect((await visit(httpsPort, instanceHost, { ca, path: "/healthz" }))?.status).toBe(200);
    expect((await visit(httpsPort, instanceHost, { ca, path: "/internal/tls-check?domain=x" }))?.status).toBe(403);
    for (const host of [refusedHost, "unknown.example.com"]) expect(await hasCertificate(httpsPort, host)).toBeFalse();
    expect([redirect.status, redirect.headers.get("location")]).toEqual([301, `https://${domain}:${httpsPort}/k`]);
    const irish = "137.43.1.1";
    expect(await countriesOfForgedVisit(httpsPort, { ca, announcedAddress: irish })).toEqual({ IE: 1 });
  },
  2 * startMsMax,
);
