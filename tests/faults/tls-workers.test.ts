/** Redirect workers share the HTTP and HTTPS ports, and tell the main process where a client has connected. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openLog } from "../../src/base/log.ts";
import { openPublicListener } from "../../src/http1/public-listener.ts";
import type { RedirectRequest } from "../../src/redirects/redirect-request.ts";
import { listen } from "../../src/server.ts";
import { createAuthority, openTestCertificates } from "../support/certificates.ts";
import { found } from "../support/open-listener.ts";
import { askRaw, openRaw } from "../support/raw-connection.ts";
import { startServer } from "../support/server.ts";

const name = "go.example.com";
const log = openLog("error");
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function requestOf(path: string): string {
  return `GET /${path} HTTP/1.1\r\nHost: ${name}\r\n\r\n`;
}

/** Two listeners as redirect workers open them, and the main process's server behind them. */
function openWorkers() {
  const folder = mkdtempSync(join(tmpdir(), "waypost-workers-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "main.sock");
  const server = listen({ kind: "workers", path, port: 0 }, log);
  ends.push(() => server.close());
  const forwarded: [string, string][] = [];
  const handler = { domainOf: () => "", afterTick: setImmediate, onSent() {} };
  server.startAnswering({
    redirectHandler: {
      ...handler,
      answer({ port, peer }: RedirectRequest) {
        forwarded.push([port, peer]);
        return undefined;
      },
      hsts: async ({ port }) => (port === "https" ? "max-age=1" : undefined),
    },
    api: { fetch: async () => new Response() },
    site: { fetch: async () => new Response("the app") },
    appUrl: new URL(`https://${name}`),
  });

  const authority = createAuthority();
  const certificates = openTestCertificates();
  certificates.byName.set(name, authority.issue([name]));
  const openWorker = (ports: { port: number; httpPort?: number | undefined; httpsPort?: number | undefined }) => {
    const options = { ...ports, hostname: "127.0.0.1", sharesPort: true, to: { kind: "socket", path }, log } as const;
    const worker = openPublicListener(options);
    ends.push(() => worker.close());
    worker.startAnswering(
      { ...handler, answer: (request) => (request.path === "app" ? undefined : found) },
      { certificates },
    );
    return worker;
  };
  const first = openWorker({ port: 0, httpPort: 0, httpsPort: 0 });
  const { port, httpPort, httpsPort } = first;
  const workers = [first, openWorker({ port, httpPort, httpsPort })];
  const url = `https://127.0.0.1:${httpsPort}`;
  return { forwarded, workers, url, tls: { servername: name, ca: authority.root }, ports: { port, httpPort } };
}

test("each worker answers visits over TLS on the shared port", async () => {
  const { workers, url, tls } = openWorkers();
  const clients = await Promise.all(Array.from({ length: 32 }, () => openRaw(url, { tls })));

  for (const client of clients) await client.send(requestOf("k"));
  const answers = await Promise.all(clients.map((client) => client.answers(["GET"])));

  expect(answers.every(([answer]) => answer?.status === 302)).toBe(true);
  for (const worker of workers) expect(worker.connections().taken).toBeGreaterThan(0);
  for (const { socket } of clients) socket.destroy();
});

test("the main process learns the client's address and port of a forwarded request", async () => {
  const { forwarded, url, tls, ports } = openWorkers();

  const secure = await askRaw(url, requestOf("app"), { tls });
  for (const port of [ports.port, ports.httpPort])
    await askRaw(`http://127.0.0.1:${port}`, requestOf("app"), { localAddress: "127.0.0.9" });

  expect(secure.fields).toContainEqual(["strict-transport-security", "max-age=1"]);
  expect(forwarded).toEqual([
    ["https", "127.0.0.1"],
    ["plain", "127.0.0.9"],
    ["http", "127.0.0.9"],
  ]);
});

const Ready = z.object({ httpPort: z.int(), httpsPort: z.int() });

test.skipIf(process.platform !== "linux")(
  "a service with workers opens the ports that are set, and logs them",
  async () => {
    const server = await startServer({ WAYPOST_WORKERS: "2", WAYPOST_HTTP_PORT: "0", WAYPOST_HTTPS_PORT: "0" });
    ends.push(() => server.remove());
    await server.call("POST", "/links", { body: { url: "https://example.com/", domain: "localhost", key: "k" } });
    const line = server
      .output()
      .split("\n")
      .find((text) => text.includes('"Waypost is ready."'));
    const { httpPort, httpsPort } = Ready.parse(JSON.parse(line ?? "{}"));

    const visit = await askRaw(`http://127.0.0.1:${httpPort}`, "GET /k HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const handshake = Bun.spawnSync(["openssl", "s_client", "-connect", `127.0.0.1:${httpsPort}`], { stdin: null });

    expect(visit.status).toBe(302);
    // No domain has a certificate yet, and the start says why none is ordered.
    expect(String(handshake.stderr)).toContain("alert internal error");
    expect(server.output()).toContain("accept them with WAYPOST_ACME_ACCEPT_TERMS=true.");
  },
);
