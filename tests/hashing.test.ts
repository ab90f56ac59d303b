/** Passwords of links and accounts under load: what a call costs, and that nobody's passwords stop other people's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { cameBackMax, expectCountedDown } from "./support/attempts.ts";
import { openDashboard, ownerPassword } from "./support/dashboard.ts";
import { refusalOf } from "./support/requests.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { newTenant } from "./support/tenants.ts";

const perMinute = 100;
const manyPasswords = 30;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ ...ownerPassword, WAYPOST_RATE_LIMIT_PER_MINUTE: String(perMinute) });
});
afterAll(() => server.remove());

const linksWith = (passwords: (string | undefined)[]) =>
  passwords.map((password) => ({ url: "https://example.com", ...(password === undefined ? {} : { password }) }));
const distinct = (count: number) => Array.from({ length: count }, (_, index) => `password ${index}`);
const bulk = (key: string, passwords: (string | undefined)[], signal?: AbortSignal) =>
  fetch(`${server.url}/v1/links/bulk`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(linksWith(passwords)),
    ...(signal === undefined ? {} : { signal }),
  });
const remaining = ({ headers }: Response) => Number(headers.get("ratelimit-remaining"));

test("a bulk creation costs one call for each different password in it, and at least one", async () => {
  const { apiKey } = await newTenant(server);
  const since = Date.now();

  const none = await bulk(apiKey, [undefined, undefined, undefined]);
  const twice = await bulk(apiKey, ["one", "one", undefined]);
  const before = Date.now();
  const many = await bulk(apiKey, distinct(manyPasswords));

  const allowance = { callsMax: perMinute, perMs: minuteMs };
  expectCountedDown([none, twice].map(remaining), allowance, since);
  const spent = remaining(twice) - remaining(many);
  expect(spent).toBeLessThanOrEqual(manyPasswords);
  expect(spent).toBeGreaterThanOrEqual(manyPasswords - cameBackMax(allowance, before));
});

test("a bulk creation that costs more calls than are left makes and hashes nothing", async () => {
  const { apiKey } = await newTenant(server);
  await bulk(apiKey, [undefined]);

  const refused = await bulk(apiKey, distinct(perMinute));
  const links = await server.call("GET", "/links", { key: apiKey });

  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(links.body).toBeArrayOfSize(1);
});

test("people sign in while a workspace hashes as many passwords as it may, and right passwords cost them nothing", async () => {
  const { apiKey } = await newTenant(server);
  const flood = Array.from({ length: 8 }, () => bulk(apiKey, distinct(5)));

  const signIns: number[] = [];
  for (let person = 0; person < 12; person++) signIns.push((await openDashboard(server).signIn()).status);
  const answers = await Promise.all(flood);

  expect(signIns).toEqual(Array(12).fill(200));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers } of refused) expect([status, headers.has("retry-after")]).toEqual([429, true]);
});

test("right passwords sent at the same moment are never answered as too many attempts", async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, () => openDashboard(server).signIn()));
  const later = await openDashboard(server).signIn();

  const busy = answers.filter(({ status }) => status !== 200);
  expect(busy.map((answer) => refusalOf(answer))).toEqual(busy.map(() => "503 unavailable"));
  for (const { headers } of busy) expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(later.status).toBe(200);
});

// The second call is sent later and hashes more, so that the first would be done before it if it went on.
test("passwords are not hashed for a client that has disconnected", async () => {
  const { apiKey } = await newTenant(server);
  const gone = new AbortController();
  const aborted = bulk(apiKey, distinct(10), gone.signal).catch(() => "gone");
  await server.call("GET", "/links", { key: apiKey });
  gone.abort();

  expect(await aborted).toBe("gone");
  expect((await bulk(apiKey, distinct(15))).status).toBe(200);
  const links = await server.call("GET", "/links", { key: apiKey });
  expect(z.array(z.unknown()).parse(links.body)).toHaveLength(15);
});
