/** The question that a proxy with on-demand certificates asks. */
import { expect, test } from "bun:test";
import { tlsCheck } from "../src/site/tls-check.ts";
import { askRaw } from "./support/raw-connection.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, onShortDomain } from "./support/short-domains.ts";

const proxy = "127.0.0.7";
const instanceHost = "links.example.com";
let server: TestService;
let verified: string;

onShortDomain(
  startService,
  "sqlite",
  { WAYPOST_URL: `https://${instanceHost}`, WAYPOST_TRUSTED_PROXIES: proxy },
  async (opened) => {
    ({ server, domain: verified } = opened);
  },
);

/** The status for a host, asked from an address with more header fields. */
async function check(domain: string, { from = "127.0.0.1", fields = "", host = "127.0.0.1" } = {}): Promise<number> {
  const query = domain === "" ? "" : `?domain=${encodeURIComponent(domain)}`;
  const request = `GET /internal/tls-check${query} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;
  return (await askRaw(server.url, request, { localAddress: from })).status;
}

test("verified domains and the instance's host may have a certificate, in any case", async () => {
  expect(await check(verified)).toBe(200);
  expect(await check(verified.toUpperCase())).toBe(200);
  expect(await check(instanceHost)).toBe(200);
});

test("so may www. before a verified domain, which it answers, but not before the instance's host", async () => {
  expect(await check(`www.${verified}`)).toBe(200);
  expect(await check(`www.${instanceHost}`)).toBe(404);
});

test("pending domains, unknown and impossible hosts may not", async () => {
  const pending = (await addDomain(server)).slug;

  for (const domain of [pending, "unknown.example.com", "a".repeat(300), "", "' OR 1=1", `${verified}/x`])
    expect(await check(domain)).toBe(404);
});

test("a trusted proxy may ask; other addresses, and requests that a proxy has forwarded, may not", async () => {
  expect(await check(verified, { from: proxy })).toBe(200);
  for (const field of [
    "X-Forwarded-For: 192.0.2.1",
    "X-Forwarded-Proto: https",
    "Forwarded: for=192.0.2.1",
    "Via: 1.1 a",
  ])
    expect(await check(verified, { from: proxy, fields: `${field}\r\n` })).toBe(403);
});

test("an address that is neither this machine's nor a trusted proxy's may not ask", async () => {
  const redirects = { isTrusted: () => false, lookup: { domain: () => expect.unreachable("No lookup is needed.") } };
  const request = new Request(`http://127.0.0.1/internal/tls-check?domain=${verified}`);

  // The rule reads nothing else of the app.
  const { status } = await tlsCheck({ redirects } as unknown as Parameters<typeof tlsCheck>[0], request, "192.0.2.1");

  expect(status).toBe(403);
});

test("on a verified domain the path is a short link", async () => {
  expect(await check(verified, { host: verified })).toBe(404);
  const request = `GET /internal/tls-check?domain=${verified} HTTP/1.1\r\nHost: ${verified}\r\n\r\n`;
  expect(String((await askRaw(server.url, request)).body)).toContain("<html");
});

test("other methods get 405, and other paths of /internal stay the API's", async () => {
  expect(
    (await askRaw(server.url, "POST /internal/tls-check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"))
      .status,
  ).toBe(405);
  expect((await askRaw(server.url, "GET /internal/other HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")).status).toBe(404);
});
