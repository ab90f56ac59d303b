/** Passwords of links and accounts under load: what a call costs, and that nobody's passwords stop other people's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { cameBackMax, expectCountedDown } from "./support/attempts.ts";
import { openDashboard, ownerPassword } from "./support/dashboard.ts";
import { refusalOf } from "./support/requests.ts";
import { startServer, type TestServer, withServer } from "./support/server.ts";
import { newTenant } from "./support/tenants.ts";

const perMinute = 100;
const manyPasswords = 30;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    ...ownerPassword,
    WAYPOST_RATE_LIMIT_PER_MINUTE: String(perMinute),
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
  });
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

const Links = z.array(z.object({ id: z.string(), key: z.string() }));

// All links of a bulk update get one password, which is hashed once.
test("a bulk update that sets a password costs one call", async () => {
  const { apiKey } = await newTenant(server);
  const since = Date.now();
  const made = await bulk(apiKey, Array(manyPasswords).fill(undefined));
  const linkIds = Links.parse(await made.json()).map(({ id }) => id);

  const body = { linkIds, data: { password: "sesame" } };
  const changed = await server.call("PATCH", "/links/bulk", { key: apiKey, body });

  expect(changed.status).toBe(200);
  const left = [made, changed].map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
  expectCountedDown(left, { callsMax: perMinute, perMs: minuteMs }, since);
});

// One call a minute: the next one comes back long after the update.
test("a bulk update that sets a password beyond the limit changes nothing", async () => {
  await withServer({ WAYPOST_RATE_LIMIT_PER_MINUTE: "1" }, async (slow) => {
    const made = await slow.call("POST", "/links/bulk", { body: linksWith([undefined]) });
    const [link = { id: "", key: "" }] = Links.parse(made.body);

    const refused = await slow.call("PATCH", "/links/bulk", { body: { linkIds: [link.id], data: { password: "a" } } });

    expect(refusalOf(refused)).toBe("429 rate_limit_exceeded");
    expect((await slow.visit(`/${link.key}`)).status).toBe(302);
  });
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

/** Wrong passwords that one network may give for a link in a minute, as in redirects/password-check.ts. */
const wrongMax = 10;
/** Visits that keep the queue of the gate busy without filling it. */
const busyVisits = 24;

// A check that is made for the client that has gone would use up one of its network's attempts.
test("a visit with ?pw= whose client disconnects gives its place in the queue back", async () => {
  const { body } = await server.call("POST", "/links", { body: { url: "https://example.com", password: "sesame" } });
  const { key } = z.object({ key: z.string() }).parse(body);
  const visit = (pw: string, address: string, signal?: AbortSignal) =>
    fetch(`${server.url}/${key}?pw=${pw}`, {
      headers: { "X-Forwarded-For": address },
      redirect: "manual",
      ...(signal === undefined ? {} : { signal }),
    });
  const others = Array.from({ length: busyVisits }, (_, index) => visit("sesame", `192.0.2.${index + 1}`));
  const gone = new AbortController();
  const aborted = visit("wrong", "198.51.100.1", gone.signal).catch(() => "gone");
  await fetch(`${server.url}/healthz`);
  gone.abort();

  expect(await aborted).toBe("gone");
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(busyVisits).fill(302));
  const statuses: number[] = [];
  for (let attempt = 0; attempt <= wrongMax; attempt++) {
    statuses.push((await visit("wrong", "198.51.100.1")).status);
  }
  expect(statuses).toEqual([...Array(wrongMax).fill(200), 429]);
});
