/** HTTP and HTTPS ports of a whole service: challenges, redirects to HTTPS, HSTS, and clicks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fieldOf, openRaw } from "./support/raw-connection.ts";
import { browser, eventually, ownerKey } from "./support/server.ts";
import { instanceHost, openTlsService } from "./support/tls-service.ts";

const secured = "secured.example.com";
const open = "open.example.com";
const uncertified = "uncertified.example.com";
const strict = "strict.example.com";
const proxy = "127.0.0.7";

let service: Awaited<ReturnType<typeof openTlsService>>;

beforeAll(async () => {
  service = await openTlsService({ WAYPOST_TRUSTED_PROXIES: proxy });
  const { certificates, authority } = service;
  for (const host of [secured, open, strict, instanceHost]) certificates.byName.set(host, authority.issue([host]));
  await service.addDomain(secured);
  await service.addDomain(open, { httpsRedirect: false });
  await service.addDomain(uncertified);
  await service.addDomain(strict, { hstsMaxAgeSeconds: 31_536_000 });
  for (const domain of [secured, open, uncertified, strict, instanceHost]) {
    await service.call("POST", "/links", { url: "https://example.com/page", domain, key: "k" });
  }
});
afterAll(() => service.close());

/** Status and destination of a visit. */
async function visit(port: "plain" | "http" | "https", request: Parameters<typeof service.ask>[1]) {
  const answer = await service.ask(port, { ...request, headers: { ...browser, ...request.headers } });
  return [answer.status, fieldOf(answer, "location")];
}

async function hstsOf(port: "plain" | "http" | "https", request: Parameters<typeof service.ask>[1]) {
  return fieldOf(await service.ask(port, request), "strict-transport-security");
}

test("the HTTP port sends visitors of a host with a certificate to the same URL over HTTPS", async () => {
  expect(await visit("http", { host: secured, path: "/k?a=%20b" })).toEqual([301, `https://${secured}/k?a=%20b`]);
  expect(await visit("http", { host: `${secured.toUpperCase()}:80`, path: "/" })).toEqual([301, `https://${secured}/`]);
  expect(await visit("http", { host: secured, path: "//example.net/x" })).toEqual([
    301,
    `https://${secured}//example.net/x`,
  ]);
});

test("a POST over HTTP is repeated as a POST over HTTPS, so it gets 308", async () => {
  const post = { host: secured, path: "/k", method: "POST", body: "pw=secret" };

  expect(await visit("http", post)).toEqual([308, `https://${secured}/k`]);
});

test("a request with unusual bytes, which the HTTP server reads, is sent to HTTPS too", async () => {
  expect(await visit("http", { host: secured, path: "/a/../k" })).toEqual([301, `https://${secured}/k`]);
});

test("the instance's host is sent to WAYPOST_URL, with its port", async () => {
  expect(await visit("http", { host: instanceHost, path: "/app" })).toEqual([301, `https://${instanceHost}:8443/app`]);
});

test("the HTTP port serves links of hosts without a certificate, and of domains that allow HTTP", async () => {
  expect(await visit("http", { host: uncertified, path: "/k" })).toEqual([302, "https://example.com/page"]);
  expect(await visit("http", { host: open, path: "/k" })).toEqual([302, "https://example.com/page"]);
});

test("a domain's setting takes effect at once, and null restores the redirect", async () => {
  await service.call("PATCH", `/domains/${open}`, { httpsRedirect: null });
  const redirected = await visit("http", { host: open, path: "/k" });
  await service.call("PATCH", `/domains/${open}`, { httpsRedirect: false });

  expect(redirected).toEqual([301, `https://${open}/k`]);
  expect(await visit("http", { host: open, path: "/k" })).toEqual([302, "https://example.com/page"]);
});

test("WAYPOST_PORT serves links as before", async () => {
  expect(await visit("plain", { host: secured, path: "/k" })).toEqual([302, "https://example.com/page"]);
});

test("a trusted proxy that ends TLS is not sent to HTTPS; X-Forwarded-Proto of others has no effect", async () => {
  const request = { host: secured, path: "/k", headers: { "X-Forwarded-Proto": "https" } };

  expect(await visit("http", { ...request, localAddress: proxy })).toEqual([302, "https://example.com/page"]);
  expect(await visit("http", request)).toEqual([301, `https://${secured}/k`]);
});

test("the HTTP port answers challenges for any host, before it redirects", async () => {
  service.certificates.responses.set("token", "token.thumbprint");
  const path = "/.well-known/acme-challenge/token";

  for (const host of [secured, uncertified, "unknown.example.com"]) {
    const { status, body } = await service.ask("http", { host, path });
    expect([status, String(body)]).toEqual([200, "token.thumbprint"]);
  }
  expect((await service.ask("http", { host: secured, path: `${path}2` })).status).toBe(404);
  expect((await service.ask("plain", { host: uncertified, path })).status).toBe(404);
});

test("HSTS is sent over TLS where the domain asks for it: for links, pages and unknown keys", async () => {
  for (const path of ["/k", "/nothing", "/robots.txt"])
    expect(await hstsOf("https", { host: strict, path })).toBe("max-age=31536000");
  expect(await hstsOf("https", { host: secured, path: "/k" })).toBe("");
});

test("HSTS is never sent over HTTP, except through a trusted proxy that ends TLS", async () => {
  const request = { host: strict, path: "/k", headers: { "X-Forwarded-Proto": "https" } };

  expect(await hstsOf("plain", { host: strict, path: "/k" })).toBe("");
  expect(await hstsOf("http", { host: strict, path: "/k" })).toBe("");
  expect(await hstsOf("plain", request)).toBe("");
  expect(await hstsOf("plain", { ...request, localAddress: proxy })).toBe("max-age=31536000");
});

test("an unverified claim to a domain sends no HSTS", async () => {
  const slug = "claimed.example.com";
  await service.call("POST", "/domains", { slug, hstsMaxAgeSeconds: 31_536_000 });
  service.certificates.byName.set(slug, service.authority.issue([slug]));

  expect(await hstsOf("https", { host: slug, path: "/k" })).toBe("");
});

test("HSTS of the instance's domain covers the dashboard and the API; 0 and null change it", async () => {
  const of = async (path: string) => await hstsOf("https", { host: instanceHost, path });
  const before = await of("/app");

  await service.call("PATCH", `/domains/${instanceHost}`, { hstsMaxAgeSeconds: 0 });
  const seen = [await of("/app"), await of("/v1/links"), await of("/k")];
  await service.call("PATCH", `/domains/${instanceHost}`, { hstsMaxAgeSeconds: null });

  expect(before).toBe("");
  expect(seen).toEqual(["max-age=0", "max-age=0", "max-age=0"]);
  expect(await of("/app")).toBe("");
});

test("a live stream is sent over TLS while it grows", async () => {
  const { urls, authority } = service;
  const client = await openRaw(urls.https, { tls: { servername: instanceHost, ca: authority.root } });
  let received = "";
  const waiting = new Set<() => void>();
  client.socket.on("data", (bytes: Buffer) => {
    received += bytes;
    for (const wake of waiting) wake();
  });
  const until = async (text: string) => {
    while (!received.includes(text)) await new Promise<void>((resolve) => waiting.add(resolve));
  };

  await client.send(
    `GET /v1/changes/live HTTP/1.1\r\nHost: ${instanceHost}\r\nAuthorization: Bearer ${ownerKey}\r\n\r\n`,
  );
  await until("text/event-stream");
  await service.call("POST", "/links", { url: "https://example.com", domain: secured, key: "live" });
  await until('"link');

  client.socket.destroy();
});

test("the API answers over TLS", async () => {
  const headers = { Authorization: `Bearer ${ownerKey}` };

  const { status, body } = await service.ask("https", { host: instanceHost, path: "/v1/links/count", headers });

  expect([status, Number(String(body)) > 0]).toEqual([200, true]);
});

test("a click over TLS is counted once, for the visitor's address", async () => {
  const { id } = Object(
    await service.call("POST", "/links", { url: "https://example.com", domain: secured, key: "c" }),
  );
  for (const localAddress of ["127.0.0.2", "127.0.0.3", "127.0.0.3"])
    expect((await visit("https", { host: secured, path: "/c", localAddress }))[0]).toBe(302);

  const countOf = async (metric: string) =>
    Object(await service.call("GET", `/analytics?linkId=${id}&event=clicks&metric=${metric}`))[metric];
  expect(
    await eventually(
      () => countOf("clicks"),
      (clicks) => clicks >= 3,
    ),
  ).toBe(3);
  expect(await countOf("visitors")).toBe(2);
});
