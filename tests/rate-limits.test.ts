/** Rate limits per user and workspace, and of invalid keys per address. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { attemptUntilLimited, expectCountedDown } from "./support/attempts.ts";
import { waitUntilDrained } from "./support/counted-once.ts";
import { refusalOf } from "./support/requests.ts";
import { browser, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant } from "./support/tenants.ts";

/** So low that one request is added every three seconds, few during a test. */
const perMinute = 20;
const ofKey = { callsMax: perMinute, perMs: minuteMs };
/** The limit of invalid keys. */
const ofAddress = { callsMax: perMinute / 10, perMs: minuteMs };
let server: TestService;

beforeAll(async () => {
  server = await startService({
    WAYPOST_RATE_LIMIT_PER_MINUTE: String(perMinute),
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
  });
});
afterAll(() => server.remove());

const get = (key: string, address: string) =>
  server.call("GET", "/workspaces", { key, headers: { "X-Forwarded-For": address } });
const fact = (headers: Headers, name: string) => Number(headers.get(name) ?? Number.NaN);

test("all API keys of a user share one limit; the headers count down, and requests beyond it are 429 with Retry-After", async () => {
  const tenant = await newTenant(server);

  const { admitted, refused } = await attemptUntilLimited(ofKey, () => get(tenant.apiKey, "192.0.2.1"));

  expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 200));
  const first = admitted[0]?.headers ?? new Headers();
  expect([fact(first, "ratelimit-limit"), fact(first, "ratelimit-remaining")]).toEqual([perMinute, perMinute - 1]);
  expect(refusalOf(refused)).toBe("429 rate_limit_exceeded");
  const { headers } = refused;
  expect(fact(headers, "ratelimit-remaining")).toBe(0);
  expect(fact(headers, "retry-after")).toBeGreaterThanOrEqual(1);
  expect(fact(headers, "retry-after")).toBeLessThanOrEqual(60 / perMinute + 1);
  expect(fact(headers, "ratelimit-reset")).toBeGreaterThan(50);
  for (const name of ["limit", "remaining", "reset"]) {
    expect(headers.get(`x-ratelimit-${name}`)).toBe(headers.get(`ratelimit-${name}`));
  }
  expect((await get(ownerKey, "192.0.2.1")).status).toBe(200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/^waypost_api_rate_limited_total\{by="key"\} [1-9]/m);
});

test("problems for a valid key have the headers, too; responses without a valid key have none", async () => {
  const { apiKey } = await newTenant(server);
  const since = Date.now();

  const refused = [
    await server.call("GET", "/links/absent", { key: apiKey }),
    await server.call("POST", "/links", { key: apiKey, body: {} }),
    await server.call("POST", "/links", { key: apiKey, body: "{" }),
  ];
  const withoutKey = await server.call("GET", "/links", { key: "" });

  expect([...refused, withoutKey].map(({ status }) => status)).toEqual([404, 422, 400, 401]);
  const remaining = refused.map(({ headers }) => fact(headers, "ratelimit-remaining"));
  expectCountedDown(remaining, ofKey, since);
  expect(withoutKey.headers.has("ratelimit-remaining")).toBe(false);
});

test("an address with many invalid keys is limited; known valid keys and other addresses are not", async () => {
  const known = await newTenant(server);
  await get(known.apiKey, "198.51.100.7");
  const wrong = (address: string) => get(`wp_${crypto.randomUUID()}`, address);

  const { admitted, refused } = await attemptUntilLimited(ofAddress, () => wrong("198.51.100.7"));

  expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 401));
  expect(fact(refused.headers, "retry-after")).toBeGreaterThanOrEqual(1);
  expect((await get(known.apiKey, "198.51.100.7")).status).toBe(200);
  expect((await wrong("198.51.100.8")).status).toBe(401);
});

test("addresses of one IPv6 network share a limit", async () => {
  const { admitted } = await attemptUntilLimited(ofAddress, (host) =>
    get(`wp_${crypto.randomUUID()}`, `2001:db8:1:2::${host.toString(16)}`),
  );

  expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 401));
  expect((await get(`wp_${crypto.randomUUID()}`, "2001:db8:1:3::1")).status).toBe(401);
});

test("0 turns off the limits and their headers", async () => {
  const unlimited = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });

  const answers = await Promise.all(Array.from({ length: 1_000 }, () => unlimited.call("GET", "/workspaces")));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers[0]?.headers.has("ratelimit-limit")).toBe(false);
  await unlimited.remove();
});

const long = (name: string) => `https://example.com/${name.repeat(25_000)}`;

/** Links with 150 KB each. */
async function makeLargeLinks(apiKey: string, count: number): Promise<string[]> {
  const urls = { url: long("u"), ios: long("i"), android: long("a"), expiresAt: "2100-01-01T00:00:00Z" };
  const testVariants = ["v", "w", "x"].map((name) => ({ url: long(name), percentage: 33 }));
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const body = { ...urls, expiredUrl: long("e"), testVariants };
    const link = await server.call("POST", "/links", { key: apiKey, body });
    expect(link.status).toBe(200);
    ids.push(z.object({ id: z.string() }).parse(link.body).id);
  }
  return ids;
}

/** How many calls the second request counts as. */
async function callsOf(apiKey: string, small: string, large: string): Promise<number> {
  const answers = [await server.call("GET", small, { key: apiKey }), await server.call("GET", large, { key: apiKey })];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [before = 0, after = 0] = answers.map(({ headers }) => fact(headers, "ratelimit-remaining"));
  return before - after;
}

test("a page of large links counts as several requests", async () => {
  const { apiKey } = await newTenant(server);
  await makeLargeLinks(apiKey, 5);

  // One may have been added in the meantime.
  expect(await callsOf(apiKey, "/links?pageSize=1", "/links")).toBeWithin(3, 5);
});

test("the warnings of large links count as several requests", async () => {
  const { apiKey } = await newTenant(server);
  const ids = await makeLargeLinks(apiKey, 5);
  const path = (some: string[]) => `/links/warnings?${some.map((id) => `linkIds=${id}`).join("&")}`;

  expect(await callsOf(apiKey, path(ids.slice(0, 1)), path(ids))).toBeWithin(3, 5);
});

test("a page of large changes in a history counts as several requests", async () => {
  const { apiKey } = await newTenant(server);
  const [id = ""] = await makeLargeLinks(apiKey, 1);
  for (const name of ["b", "c", "d"]) {
    const body = { url: long(name), ios: long(name), android: long(name) };
    expect((await server.call("PATCH", `/links/${id}`, { key: apiKey, body })).status).toBe(200);
  }

  expect(await callsOf(apiKey, `/links/${id}/history?pageSize=1`, `/links/${id}/history`)).toBeWithin(2, 4);
});

test("a page of large domains counts as several requests", async () => {
  const { apiKey } = await newTenant(server);
  const assetLinks = JSON.stringify([{ text: "a".repeat(100_000) }]);
  for (let made = 0; made < 6; made++) {
    const body = { slug: `${crypto.randomUUID()}.example.com`, assetLinks, notFoundUrl: long("n") };
    expect((await server.call("POST", "/domains", { key: apiKey, body })).status).toBe(201);
  }

  expect(await callsOf(apiKey, "/domains?pageSize=1", "/domains")).toBeWithin(2, 4);
});

test("a page of clicks of a large link counts as several requests", async () => {
  const { apiKey } = await newTenant(server);
  const [id = ""] = await makeLargeLinks(apiKey, 1);
  const { body } = await server.call("GET", `/links/${id}`, { key: apiKey });
  const { pathname } = new URL(z.object({ shortLink: z.string() }).parse(body).shortLink);
  for (let visits = 0; visits < 5; visits++) await server.visit(pathname, { headers: browser });
  await waitUntilDrained(server);

  expect(await callsOf(apiKey, "/events?limit=1", "/events")).toBeWithin(3, 5);
});

test("reading the metadata of a page counts as ten calls", async () => {
  const { apiKey } = await newTenant(server);
  const read = async () => (await server.call("GET", "/metatags?url=http://10.0.0.1/", { key: apiKey })).status;

  expect([await read(), await read(), await read()]).toEqual([200, 200, 429]);
});
