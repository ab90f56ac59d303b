/**
 * The configurations of proxies that the documentation recommends, with the real programs: Caddy with deploy/Caddyfile,
 * and nginx with the recipe in docs/operations.md.
 *
 * Needs caddy and nginx, Debian packages of the same names. A program that is missing is reported and its tests are
 * skipped, except in continuous integration, which sets PROXIES_REQUIRED.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePorts } from "../src/http1/reserve-ports.ts";
import { createAuthority } from "./support/certificates.ts";
import { fieldOf, openRaw } from "./support/raw-connection.ts";
import { browser, eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, onShortDomain } from "./support/short-domains.ts";

const instanceHost = "links.example.com";
const startMsMax = 60_000;
const documented = "127.0.0.1:3000";
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

/** Whether to skip the tests of a program. Throws when continuous integration lacks it. */
function isMissing(program: string): boolean {
  if (programPath(program) !== null) return false;
  const message = `${program} is not installed (Debian package "${program}").`;
  if (process.env["PROXIES_REQUIRED"] !== undefined) throw new Error(message);
  console.warn(`Skipped: ${message}`);
  return true;
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

/** A visit through a proxy with TLS; undefined when the handshake fails. */
async function visit(port: number, host: string, { path = "/k", ca }: { path?: string; ca: string }) {
  const connection = await openRaw(`https://127.0.0.1:${port}`, { tls: { servername: host, ca } });
  try {
    const agent = `User-Agent: ${browser["User-Agent"]}\r\n`;
    await connection.send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${agent}Connection: close\r\n\r\n`);
    return (await connection.answers(["GET"]))[0];
  } catch {
    return undefined;
  } finally {
    connection.socket.destroy();
  }
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
  },
  2 * startMsMax,
);
