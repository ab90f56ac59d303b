/** A running service gets certificates from a real authority, Pebble, and serves HTTPS with them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { minuteMs, secondMs } from "../../src/base/time.ts";
import { openBrowser, openTrustingBrowser } from "../support/browser.ts";
import { type Pebble, startPebble } from "../support/pebble.ts";
import { startServer, type TestServer } from "../support/server.ts";

const startMsMax = 15 * minuteMs;
const issueMsMax = 60 * secondMs;
/** With two workers, a million to one that both answered. */
const connectionsInRow = 20;

describe.each([
  ["by HTTP-01", (pebble: Pebble) => ({ WAYPOST_HTTP_PORT: String(pebble.httpPort) }) as Record<string, string>],
  ["by TLS-ALPN-01, from redirect workers", () => ({ WAYPOST_WORKERS: "2" }) as Record<string, string>],
])("certificates %s", (_, options) => {
  let pebble: Pebble;
  let server: TestServer;
  beforeAll(async () => {
    pebble = await startPebble();
    server = await startServer({
      WAYPOST_URL: "https://links.example.com",
      WAYPOST_HTTPS_PORT: String(pebble.tlsPort),
      WAYPOST_IPS: "127.0.0.1",
      WAYPOST_RESOLVERS: pebble.dns,
      WAYPOST_ACME_ACCEPT_TERMS: "true",
      WAYPOST_ACME_DIRECTORY: pebble.directory,
      WAYPOST_ACME_CA: pebble.caFile,
      ...options(pebble),
    });
  }, startMsMax);
  afterAll(async () => {
    await server.remove();
    await pebble.close();
  });

  async function certificateOf(slug: string): Promise<Record<string, unknown>> {
    const { status, body } = await server.call("GET", `/domains/${slug}/certificate`);
    expect(status).toBe(200);
    return Object(body);
  }

  /** Waits for the certificates of all names of a domain. */
  async function issued(slug: string): Promise<void> {
    for (const until = Date.now() + issueMsMax; Date.now() < until; ) {
      const { state, www } = await certificateOf(slug);
      if (state === "valid" && (www === null || Object(www).state === "valid")) return;
      await Bun.sleep(100);
    }
    throw new Error(`${JSON.stringify(await certificateOf(slug))}\n${server.output()}`);
  }

  function connects(name: string): boolean {
    const connected = Bun.spawnSync(
      [
        ...["openssl", "s_client", "-connect", `127.0.0.1:${pebble.tlsPort}`, "-servername", name],
        ...["-CAfile", pebble.rootFile, "-verify_return_error", "-verify_hostname", name],
      ],
      { stdin: new Uint8Array() },
    );
    return connected.exitCode === 0 && connected.stdout.toString().includes("Verify return code: 0 (ok)");
  }

  /**
   * True once all redirect workers have the certificate, which each reads every second: the system chooses the worker of a
   * connection, so several connections in a row have to succeed.
   */
  async function connectsSoon(name: string): Promise<boolean> {
    let inRow = 0;
    for (const until = Date.now() + 10 * secondMs; Date.now() < until; ) {
      inRow = connects(name) ? inRow + 1 : 0;
      if (inRow === connectionsInRow) return true;
      if (inRow === 0) await Bun.sleep(100);
    }
    return false;
  }

  test("are served for the instance's host and a verified domain, and for no other name", async () => {
    const { body } = await server.call("POST", "/domains", { body: { slug: "go.example.net" } });
    const { id } = Object(body);
    expect(await certificateOf("go.example.net")).toMatchObject({ state: "unverified" });
    const { body: dns } = await server.call("GET", "/domains/go.example.net/dns");
    const { name, value } = Object(dns).ownership.expected;
    await pebble.setDns("set-txt", { host: `${name}.`, value });
    const verified = await server.call("POST", `/domains-v2/${id}/verify`);
    expect(verified.body).toMatchObject({ success: true });

    await issued("go.example.net");
    await issued("links.example.com");

    for (const name of ["go.example.net", "www.go.example.net", "links.example.com"]) {
      expect(await connectsSoon(name)).toBe(true);
    }
    expect(connects("www.links.example.com")).toBe(false);
    expect(connects("other.example.net")).toBe(false);
  });

  test("are accepted by a browser that trusts the authority, and by no other", async () => {
    const [trusting, strict] = await Promise.all([openTrustingBrowser(pebble.rootFile), openBrowser()]);
    try {
      const page = await trusting.newPage();
      for (const name of ["links.example.com", "go.example.net"]) {
        const response = await page.goto(`https://${name}:${pebble.tlsPort}/`);
        expect(await response?.securityDetails()).toMatchObject({ protocol: "TLS 1.3" });
      }
      const refused = await (await strict.newPage())
        .goto(`https://go.example.net:${pebble.tlsPort}/`)
        .catch((error: unknown) => error);
      expect(String(refused)).toContain("ERR_CERT_AUTHORITY_INVALID");
    } finally {
      await Promise.all([trusting.close(), strict.close()]);
    }
  });

  test("that are valid are not ordered again on request", async () => {
    const { status, body } = await server.call("POST", "/domains/go.example.net/certificate/retry");

    expect(status).toBe(200);
    expect(body).toMatchObject({ state: "valid", problem: null });
  });
});
