/** Handshakes of the HTTPS port, as OpenSSL and node:tls see them. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handshakeSecondsMax } from "../src/http1/handshakes.ts";
import type { PublicListenerOptions } from "../src/http1/public-listener.ts";
import type { RedirectRequest } from "../src/redirects/redirect-request.ts";
import { createAuthority, openTestCertificates, serialOf } from "./support/certificates.ts";
import { closeListeners, found, open } from "./support/open-listener.ts";

const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), "waypost-tls-"));
const rootFile = join(folder, "root.crt");
writeFileSync(rootFile, authority.root);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(closeListeners);

const name = "go.example.com";

/** A listener with certificates for two names. */
function openTls(options: Partial<PublicListenerOptions> = {}) {
  const opened = open({ httpsPort: 0, ...options });
  const certificates = openTestCertificates();
  for (const host of [name, "other.example.com"]) certificates.byName.set(host, authority.issue([host]));
  const requests: RedirectRequest[] = [];
  opened.publicListener.startAnswering(
    {
      answer(request) {
        requests.push(request);
        return request.path === "app" ? undefined : found;
      },
      domainOf: () => "",
      afterTick: setImmediate,
      onSent() {},
    },
    { certificates },
  );
  return { ...opened, certificates, requests, port: Number(opened.publicListener.httpsPort) };
}

/** The output of `openssl s_client`, which sends `input` after the handshake. */
async function sClient(port: number, words: string[], input = "Q\n"): Promise<string> {
  const child = Bun.spawn(["openssl", "s_client", "-connect", `127.0.0.1:${port}`, "-CAfile", rootFile, ...words], {
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return output + errors;
}

/** The subject of the certificate that a client sees, or the alert. */
async function shown(port: number, words: string[]): Promise<string | undefined> {
  const output = await sClient(port, words);
  return /subject=CN ?= ?(\S+)/.exec(output)?.[1] ?? /alert [\w ]+/.exec(output)?.[0].replace(":SSL", "");
}

test("each name gets its certificate, in any case, and its chain is valid", async () => {
  const { port } = openTls();

  const outputs = await Promise.all(
    [name, "GO.Example.com", "other.example.com"].map((host) =>
      sClient(port, ["-servername", host, "-verify_hostname", host.toLowerCase(), "-verify_return_error"]),
    ),
  );

  for (const output of outputs) expect(output).toContain("Verify return code: 0 (ok)");
});

test("a client with an unknown name, or without one, gets an alert and no certificate", async () => {
  const { port } = openTls();

  expect(await shown(port, ["-servername", "unknown.example.com"])).toStartWith("alert");
  expect(await shown(port, ["-noservername"])).toStartWith("alert");
});

test("TLS 1.2 and 1.3 are spoken, TLS 1.1 is refused", async () => {
  const { port } = openTls();
  const on = (version: string) => shown(port, ["-servername", name, version, "-cipher", "ALL:@SECLEVEL=0"]);

  expect(await on("-tls1_3")).toBe(name);
  expect(await on("-tls1_2")).toBe(name);
  expect(await on("-tls1_1")).toBe("alert protocol version");
});

test("cipher suites without forward secrecy or authenticated encryption are refused", async () => {
  const { port, certificates } = openTls();
  certificates.byName.set(name, authority.issue([name], { key: "rsa" }));
  const on = (suite: string) => shown(port, ["-servername", name, "-tls1_2", "-cipher", `${suite}:@SECLEVEL=0`]);

  expect(await on("ECDHE-RSA-AES128-GCM-SHA256")).toBe(name);
  for (const suite of ["AES128-GCM-SHA256", "AES128-SHA", "ECDHE-RSA-AES128-SHA"])
    expect(await on(suite)).toStartWith("alert");
});

test("a session is resumed on both versions", async () => {
  const { port } = openTls();

  for (const version of ["-tls1_2", "-tls1_3"]) {
    const session = join(folder, `session${version}`);
    const request = `GET /k HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
    await sClient(port, ["-servername", name, version, "-ign_eof", "-sess_out", session], request);
    const second = await sClient(port, ["-servername", name, version, "-ign_eof", "-sess_in", session], request);

    expect(second).toContain("Reused, TLSv1.");
    expect(second).toContain("302 Found");
  }
});

test("the next handshake after a renewal gets the new certificate", async () => {
  const { port, certificates } = openTls();
  const before = await sClient(port, ["-servername", name]);
  const renewed = authority.issue([name]);

  certificates.byName.set(name, renewed);
  const after = await sClient(port, ["-servername", name]);

  const serial = (output: string) => serialOf({ chain: output, privateKey: "" });
  expect(serial(after)).toBe(serialOf(renewed));
  expect(serial(before)).not.toBe(serial(after));
});

test("a certificate that the runtime cannot read ends the handshake, and other names go on", async () => {
  const { port, certificates } = openTls({ log: { debug() {}, info() {}, warn() {}, error() {} } });
  certificates.byName.set(name, { chain: "not a certificate", privateKey: "not a key" });

  expect(await shown(port, ["-servername", name])).toStartWith("alert");
  expect(await shown(port, ["-servername", "other.example.com"])).toBe("other.example.com");
});

test("a client that offers only other protocols gets an alert", async () => {
  const { port } = openTls();

  expect(await shown(port, ["-servername", name, "-alpn", "h2"])).toBe("alert no application protocol");
  expect(await shown(port, ["-servername", name, "-alpn", "acme-tls/1"])).toBe("alert no application protocol");
  expect(await shown(port, ["-servername", name, "-alpn", "h2,http/1.1"])).toBe(name);
});

test("a pending challenge shows its certificate to the authority only, and then the name's certificate returns", async () => {
  const { port, certificates } = openTls();
  const challenge = authority.issue([name], { isChallenge: true });
  certificates.challengesByName.set(name, challenge);

  const validation = await sClient(port, ["-servername", name, "-alpn", "acme-tls/1"], "");
  const visitor = await shown(port, ["-servername", name, "-alpn", "h2,http/1.1"]);
  const other = await shown(port, ["-servername", "other.example.com", "-alpn", "h2,http/1.1"]);
  certificates.challengesByName.clear();

  expect(validation).toContain("ALPN protocol: acme-tls/1");
  expect(serialOf({ chain: validation, privateKey: "" })).toBe(serialOf(challenge));
  expect(visitor).toBe("alert no application protocol");
  expect(other).toBe("other.example.com");
  expect(await shown(port, ["-servername", name, "-alpn", "h2,http/1.1"])).toBe(name);
});

test("a client that does not finish its handshake is closed", async () => {
  const { port, publicListener } = openTls();
  const startedAt = performance.now();
  const silent = connect(port, "127.0.0.1");
  const partial = connect(port, "127.0.0.1");
  // The beginning of a record with a client hello.
  partial.write(Buffer.from("1603010200010001fc0303", "hex"));

  await Promise.all(
    [silent, partial].map((socket) => new Promise((done) => socket.on("error", done).on("close", done))),
  );

  // The runtime checks every four seconds.
  expect((performance.now() - startedAt) / 1_000).toBeLessThan(handshakeSecondsMax + 8);
  expect(publicListener.connections().taken).toBe(0);
});

test("a client that closes its sending side before its handshake is done is closed", async () => {
  const { port } = openTls();
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });

  client.end();

  await new Promise((done) => client.resume().on("error", done).on("end", done));
});

test("a stop closes connections whose handshake is not finished", async () => {
  const { port, publicListener } = openTls();
  const silent = connect(port, "127.0.0.1");
  await new Promise((done) => silent.on("connect", done));
  while (publicListener.connections().taken === 0) await new Promise(setImmediate);

  await publicListener.stop();

  await new Promise((done) => silent.on("error", done).on("close", done));
});

test("bytes that are not TLS close the connection and are no error of the service", async () => {
  const errors: string[] = [];
  const { port } = openTls({ log: { debug() {}, info() {}, warn() {}, error: (text) => errors.push(text) } });
  const client = connect(port, "127.0.0.1");

  client.write(`GET /k HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
  await new Promise((done) => client.on("error", done).on("close", done));

  expect(errors).toEqual([]);
});

/** Begins a handshake from an address of this machine, with bytes that are not TLS. Resolves when the connection is closed. */
function attemptHandshake(port: number, localAddress: string): Promise<void> {
  return new Promise((done) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.resume();
    socket.on("error", () => done()).on("close", () => done());
    socket.end("these bytes are not TLS");
  });
}

test("a network that begins too many handshakes is refused, other networks and trusted proxies are not", async () => {
  const { port, publicListener } = openTls({ now: () => 0, isTrusted: (address) => address === "127.0.0.3" });
  const attempt = (localAddress: string) => attemptHandshake(port, localAddress);

  for (let tries = 0; tries < 510; tries++) await attempt("127.0.0.2");
  const { refused } = publicListener.connections();
  for (let tries = 0; tries < 510; tries++) await attempt("127.0.0.3");
  const visitor = await shown(port, ["-servername", name]);

  expect(refused).toBe(10);
  expect(publicListener.connections().refused).toBe(10);
  expect(visitor).toBe(name);
});

test("all networks together are refused beyond a larger limit, trusted proxies are not", async () => {
  const { port, publicListener } = openTls({ now: () => 0, isTrusted: (address) => address === "127.0.0.3" });
  const attempt = (localAddress: string) => attemptHandshake(port, localAddress);

  for (let tries = 0; tries < 430; tries++) {
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((network) => attempt(`127.0.1.${network}`)));
  }
  await attempt("127.0.0.3");

  const { handshakes } = publicListener.connections();
  expect(handshakes).toMatchObject({ failed: 3_001, refusedInAll: 10, refusedNetwork: 0 });
});

test("each handshake is counted by its outcome", async () => {
  const { port, publicListener, certificates } = openTls();
  certificates.challengesByName.set("new.example.com", authority.issue(["new.example.com"], { isChallenge: true }));

  await sClient(port, ["-servername", name]);
  await sClient(port, ["-servername", "unknown.example.com"]);
  await sClient(port, ["-servername", "new.example.com", "-alpn", "acme-tls/1"]);
  const notTls = connect(port, "127.0.0.1");
  notTls.resume();
  notTls.end("these bytes are not TLS");
  await new Promise((done) => notTls.on("error", done).on("close", done));

  const expected = { done: 1, challenge: 1, unknownName: 1, failed: 1, timeout: 0, refusedNetwork: 0, refusedInAll: 0 };
  expect(publicListener.connections().handshakes).toEqual(expected);
});

test("a request carries the port that it arrived on", async () => {
  const { port, publicListener, requests } = openTls({ httpPort: 0 });
  const visit = `GET /k HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;

  await sClient(port, ["-servername", name, "-ign_eof"], visit);
  for (const plain of [publicListener.port, publicListener.httpPort])
    await fetch(`http://127.0.0.1:${plain}/k`, { redirect: "manual" });

  expect(requests.map(({ port: kind, peer }) => [kind, peer])).toEqual([
    ["https", "127.0.0.1"],
    ["plain", "127.0.0.1"],
    ["http", "127.0.0.1"],
  ]);
});
