/** Limits of calls per key, and of wrong keys per address. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { refusalOf } from "./support/requests.ts";
import { ownerKey, startServer, type TestServer } from "./support/server.ts";
import { newTenant } from "./support/tenants.ts";

const perMinute = 40;
let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    WAYPOST_RATE_LIMIT_PER_MINUTE: String(perMinute),
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
  });
});
afterAll(() => server.remove());

const get = (key: string, address: string) =>
  server.call("GET", "/workspaces", { key, headers: { "X-Forwarded-For": address } });
const fact = (headers: Headers, name: string) => Number(headers.get(name) ?? Number.NaN);

test("each key has its own calls; the headers count them down, and beyond them is 429 with Retry-After", async () => {
  const tenant = await newTenant(server);
  const answers = [];
  for (let call = 0; call < perMinute; call++) answers.push(await get(tenant.apiKey, "192.0.2.1"));

  // Some come back while the test runs.
  let refused = await get(tenant.apiKey, "192.0.2.1");
  for (let call = 0; call < perMinute && refused.status === 200; call++)
    refused = await get(tenant.apiKey, "192.0.2.1");

  expect(answers.map(({ status }) => status)).toEqual(Array(perMinute).fill(200));
  const first = answers[0]?.headers ?? new Headers();
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

test("refusals to a good key have the headers too; answers without one have none", async () => {
  const { apiKey } = await newTenant(server);
  const answers = [
    await server.call("GET", "/links/absent", { key: apiKey }),
    await server.call("POST", "/links", { key: apiKey, body: {} }),
    await server.call("POST", "/links", { key: apiKey, body: "{" }),
    await server.call("GET", "/links", { key: "" }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 422, 400, 401]);
  expect(answers.map(({ headers }) => fact(headers, "ratelimit-remaining"))).toEqual([39, 38, 37, Number.NaN]);
});

test("an address that tries wrong keys is stopped; good keys known before, and other addresses, are not", async () => {
  const known = await newTenant(server);
  await get(known.apiKey, "198.51.100.7");
  const wrong = (address: string) => get(`wp_${crypto.randomUUID()}`, address);

  const tries = [];
  for (let call = 0; call < 10; call++) tries.push(await wrong("198.51.100.7"));

  const statuses = tries.map(({ status }) => status);
  expect(statuses.slice(0, 4)).toEqual([401, 401, 401, 401]);
  expect(statuses.at(-1)).toBe(429);
  expect(fact(tries.at(-1)?.headers ?? new Headers(), "retry-after")).toBeGreaterThanOrEqual(1);
  expect((await get(known.apiKey, "198.51.100.7")).status).toBe(200);
  expect((await wrong("198.51.100.8")).status).toBe(401);
});

test("addresses of one IPv6 network count together", async () => {
  const statuses = [];
  for (let host = 1; host <= 10; host++) {
    statuses.push((await get(`wp_${crypto.randomUUID()}`, `2001:db8:1:2::${host.toString(16)}`)).status);
  }

  expect(statuses.at(-1)).toBe(429);
  expect((await get(`wp_${crypto.randomUUID()}`, "2001:db8:1:3::1")).status).toBe(401);
});

test("0 turns the limits off, and the headers with them", async () => {
  const unlimited = await startServer({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });

  const answers = await Promise.all(Array.from({ length: 1_000 }, () => unlimited.call("GET", "/workspaces")));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers[0]?.headers.has("ratelimit-limit")).toBe(false);
  await unlimited.remove();
});
