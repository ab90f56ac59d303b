import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, firstWorkspaceId } from "../../src/access/bootstrap.ts";
import { createApi } from "../../src/api/api.ts";
import { openApp } from "../../src/app.ts";
import { openLog } from "../../src/base/log.ts";
import { trustedPeers } from "../../src/clicks/address.ts";
import { readConfig } from "../../src/config.ts";
import { instanceSlug } from "../../src/domains/domain.ts";
import { ensureInstanceDomain } from "../../src/domains/instance-domain.ts";
import { redirectHandlerFor } from "../../src/redirects/redirect-handler.ts";
import { listen } from "../../src/server.ts";
import { openSite } from "../../src/site/site.ts";
import { startTasks } from "../../src/tasks.ts";
import { createAuthority, openTestCertificates } from "./certificates.ts";
import { askRaw, type RawOptions } from "./raw-connection.ts";
import { connectionFor, type Environment, ownerKey, serverEnvironment } from "./server.ts";

/** The instance's host in these services. */
export const instanceHost = "links.example.com";

/**
 * A service in this process, with all three ports and certificates that the test provides. It runs what `serve` runs;
 * the certificates are those of a test authority, since no authority on the Internet issues any for tests.
 */
export async function openTlsService(environment: Environment = {}, listening: { idleTimeoutSeconds?: number } = {}) {
  const data = mkdtempSync(join(tmpdir(), "waypost-tls-"));
  const url = `https://${instanceHost}:8443`;
  const config = readConfig(serverEnvironment(data, { WAYPOST_URL: url, ...environment }));
  const log = openLog("error");
  const server = listen(
    {
      ...{ kind: "ports", port: 0, httpPort: 0, httpsPort: 0, hostname: "127.0.0.1", ...listening },
      isTrusted: trustedPeers(config.WAYPOST_TRUSTED_PROXIES),
    },
    log,
  );
  const opened = await openApp(config, log);
  const authority = createAuthority();
  const certificates = openTestCertificates();
  const app = { ...opened, redirects: { ...opened.redirects, certificates } };
  await bootstrap(app, { email: "owner@example.com", apiKey: ownerKey, password: undefined, workspace: "Test" });
  await ensureInstanceDomain(app.db, await firstWorkspaceId(app.db), instanceSlug(config.WAYPOST_URL), app.now());
  const tasks = startTasks(app);
  const api = createApi(app);
  server.startAnswering({
    redirectHandler: redirectHandlerFor(app.redirects, { appHost: instanceHost, servesAnyHost: false }),
    ...{ api, site: openSite(app, api), appUrl: config.WAYPOST_URL, certificates },
  });

  const urls = {
    plain: `http://127.0.0.1:${server.port}`,
    http: `http://127.0.0.1:${server.httpPort}`,
    https: `https://127.0.0.1:${server.httpsPort}`,
  };
  return {
    ...{ app, authority, certificates, urls },
    /** Sends a request on one of the ports; over TLS its host is the server name. */
    async ask(port: keyof typeof urls, request: { host: string; path: string } & AskOptions) {
      const { method = "GET", host, path, headers = {}, body = "", localAddress } = request;
      const fields = { Host: host, Connection: "close", ...headers };
      const length = body === "" ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      const lines = Object.entries({ ...fields, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
      const options: RawOptions = {
        ...(localAddress && { localAddress }),
        ...(port === "https" && { tls: { servername: host, ca: authority.root } }),
      };
      return await askRaw(urls[port], `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`, options);
    },
    /** Calls the API as the owner, over the plain port. */
    async call(method: string, path: string, body?: unknown): Promise<unknown> {
      const headers = { Authorization: `Bearer ${ownerKey}`, "Content-Type": "application/json", Host: instanceHost };
      const response = await fetch(`${urls.plain}/v1${path}`, {
        ...{ ...connectionFor(method), method, headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    },
    /** Adds a verified domain. */
    async addDomain(slug: string, settings: object = {}): Promise<void> {
      await this.call("POST", "/domains", { slug, ...settings });
      await app.db.updateTable("domains").set({ status: "verified" }).where("slug", "=", slug).execute();
    },
    async close(): Promise<void> {
      await server.close();
      await tasks.stop();
      await app.close();
      rmSync(data, { recursive: true });
    },
  };
}

type AskOptions = { method?: string; headers?: Record<string, string>; body?: string; localAddress?: string };
