/** Passwords of links and accounts under load: the cost of a request, and the isolation of users. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { dummyHash } from "../../src/access/dummy-hash.ts";
import { minuteMs } from "../../src/base/time.ts";
import { expectCountedDown, refilledCallsMax } from "../support/attempts.ts";
import { openDashboard, ownerPassword, ownerSignIn } from "../support/dashboard.ts";
import { refusalOf } from "../support/requests.ts";
import { lowerPasswordCost, startServer, type TestServer, usualPasswordCost, withServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";
import { newTenant } from "../support/tenants.ts";

const perMinute = 100;
const manyPasswords = 10;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    ...ownerPassword,
    ...lowerPasswordCost,
    WAYPOST_RATE_LIMIT_PER_MINUTE: String(perMinute),
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
  });
});
afterAll(() => server.remove());

test("an unknown account takes as long as a wrong password: both hashes have the same cost", async () => {
  const cost = (hash: string | null | undefined) => hash?.split("$").slice(0, 4);

  await withServer({ ...ownerPassword, ...usualPasswordCost }, async (usual) => {
    const { passwordHash } = await withDatabase(usual, ({ db }) =>
      db.selectFrom("users").select("passwordHash").where("email", "=", ownerSignIn.email).executeTakeFirstOrThrow(),
    );

    expect(cost(passwordHash)).toEqual(["", "argon2id", "v=19", "m=65536,t=2,p=1"]);
    expect(cost(dummyHash)).toEqual(cost(passwordHash));
  });
});

const linksWith = (passwords: (string | undefined)[]) =>
  passwords.map((password) => ({ url: "https://example.com", ...(password === undefined ? {} : { password }) }));
const distinct = (count: number) => Array.from({ length: count }, (_, index) => `password ${index}`);
const bulk = (key: string, passwords: (string | undefined)[], signal?: AbortSignal, on: TestServer = server) =>
  fetch(`${on.url}/v1/links/bulk`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(linksWith(passwords)),
    ...(signal === undefined ? {} : { signal }),
  });
const remaining = ({ headers }: Response) => Number(headers.get("ratelimit-remaining"));

test("a bulk creation counts as one request per distinct password, and at least as one", async () => {
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
  expect(spent).toBeGreaterThanOrEqual(manyPasswords - refilledCallsMax(allowance, before));
});

const Links = z.array(z.object({ id: z.string(), key: z.string() }));

// All links of a bulk update get one password, which is hashed once.
test("a bulk update that sets a password counts as one request", async () => {
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

describe("beyond the rate limit", () => {
  // Three requests per minute: the next one is allowed long after the last of these.
  const perMinuteLow = 3;
  let slow: TestServer;
  beforeAll(async () => {
    slow = await startServer({ WAYPOST_RATE_LIMIT_PER_MINUTE: String(perMinuteLow) });
  });
  afterAll(() => slow.remove());

  const create = (key: string, passwords: (string | undefined)[]) =>
    slow.call("POST", "/links/bulk", { key, body: linksWith(passwords) });

  test("a bulk creation creates nothing", async () => {
    const { apiKey } = await newTenant(slow);
    await create(apiKey, [undefined]);

    const refused = await create(apiKey, distinct(perMinuteLow));
    const links = await slow.call("GET", "/links", { key: apiKey });

    expect(refusalOf(refused)).toBe("429 rate_limit_exceeded");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(links.body).toBeArrayOfSize(1);
  });

  test("a bulk update with a password changes nothing", async () => {
    const { apiKey } = await newTenant(slow);
    const made = await create(apiKey, [undefined, undefined]);
    const [link = { id: "", key: "" }] = Links.parse(made.body);
    for (let call = 1; call < perMinuteLow; call++) await slow.call("GET", "/links", { key: apiKey });

    const body = { linkIds: [link.id], data: { password: "a" } };
    const refused = await slow.call("PATCH", "/links/bulk", { key: apiKey, body });

    expect(refusalOf(refused)).toBe("429 rate_limit_exceeded");
    expect((await slow.visit(`/${link.key}`)).status).toBe(302);
  });
});

test("users can sign in while a workspace hashes as many passwords as allowed, and right passwords use up no attempts", async () => {
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

test("simultaneous right passwords never count as too many attempts", async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, () => openDashboard(server).signIn()));
  const later = await openDashboard(server).signIn();

  const busy = answers.filter(({ status }) => status !== 200);
  expect(busy.map((answer) => refusalOf(answer))).toEqual(busy.map(() => "503 unavailable"));
  for (const { headers } of busy) expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(later.status).toBe(200);
});

// With hashes of the usual cost, the first request still runs when its client disconnects. The second one is sent later and
// hashes more, so the first would finish earlier if it continued.
test("passwords of a disconnected client are not hashed", async () => {
  await withServer(usualPasswordCost, async (usual) => {
    const { apiKey } = await newTenant(usual);
    const disconnect = new AbortController();
    const aborted = bulk(apiKey, distinct(20), disconnect.signal, usual).catch(() => "disconnected");
    await usual.call("GET", "/links", { key: apiKey });
    disconnect.abort();

    expect(await aborted).toBe("disconnected");
    expect((await bulk(apiKey, distinct(25), undefined, usual)).status).toBe(200);
    const links = await usual.call("GET", "/links", { key: apiKey });
    expect(z.array(z.unknown()).parse(links.body)).toHaveLength(25);
  });
});

/** Wrong passwords that one network can send per link and minute, as in redirects/password-check.ts. */
const wrongMax = 10;
/** Visits that keep the hashing queue busy without filling it. */
const busyVisits = 24;

// A check for the disconnected client would use up one attempt of its network.
test("a visit with ?pw= releases its place in the queue when its client disconnects", async () => {
  const { body } = await server.call("POST", "/links", { body: { url: "https://example.com", password: "sesame" } });
  const { key } = z.object({ key: z.string() }).parse(body);
  const visit = (pw: string, address: string, signal?: AbortSignal) =>
    fetch(`${server.url}/${key}?pw=${pw}`, {
      headers: { "X-Forwarded-For": address },
      redirect: "manual",
      ...(signal === undefined ? {} : { signal }),
    });
  const others = Array.from({ length: busyVisits }, (_, index) => visit("sesame", `192.0.2.${index + 1}`));
  const disconnect = new AbortController();
  const aborted = visit("wrong", "198.51.100.1", disconnect.signal).catch(() => "disconnected");
  await fetch(`${server.url}/healthz`);
  disconnect.abort();

  expect(await aborted).toBe("disconnected");
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(busyVisits).fill(302));
  const statuses: number[] = [];
  for (let attempt = 0; attempt <= wrongMax; attempt++) {
    statuses.push((await visit("wrong", "198.51.100.1")).status);
  }
  expect(statuses).toEqual([...Array(wrongMax).fill(200), 429]);
});
