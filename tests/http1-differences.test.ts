/**
 * Responses and clicks of a request do not depend on earlier requests of its connection. One server gets generated
 * requests at the start of a connection; a second server gets the same bytes after a forwarded request.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseRequestHead } from "../src/http1/request-head.ts";
import { seededRandom } from "./support/clicks.ts";
import { type OddHosts, oddKeys, oddRequest } from "./support/odd-requests.ts";
import { openRaw, type RawConnection, type WireAnswer } from "./support/raw-connection.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";

/** Other requests: SEED=7 node bin/test.mjs tests/http1-differences.test.ts */
const seed = Number(process.env["SEED"] ?? 20_261_121);
const requestsMax = 4_000;
const differencesShownMax = 5;
const lanes = 8;
const hosts: OddHosts = { own: "localhost", short: "go.example.com" };
/** Header fields that depend on the time or the connection. */
const ofTheMoment = new Set(["date", "connection", "keep-alive", "x-request-id"]);

let direct: TestService;
let forwarded: TestService;

beforeAll(async () => {
  [direct, forwarded] = await Promise.all([newServer(), newServer()]);
});
afterAll(async () => {
  for (const server of [direct, forwarded]) await server.remove();
});

async function newServer(): Promise<TestService> {
  const server = await startService({
    WAYPOST_URL: "http://localhost",
    WAYPOST_UNVERIFIED_REDIRECTS: "true",
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
  });
  const domainFields = { assetLinks: '[{"relation":["x"]}]', notFoundUrl: "https://example.com/none" };
  const added = await server.call("POST", "/domains", { body: { slug: hosts.short, ...domainFields } });
  expect(added.body).toMatchObject({ slug: hosts.short });
  for (const domain of [hosts.own, hosts.short]) {
    for (const key of oddKeys) await addLink(server, { url: "https://example.com/?a=1#top", domain, key });
    const links = [
      { key: "nothing", expiresAt: "2001-01-01T00:00:00Z" },
      { key: "locked", password: "open sesame" },
      { key: "targeted", ios: "https://example.com/ios", geo: { US: "https://example.com/us" } },
      { key: "framed", proxy: true, title: "A page" },
    ];
    for (const link of links) await addLink(server, { url: "https://example.com/", domain, ...link });
  }
  return server;
}

test(`the listener and the HTTP server give every request the same response and the same clicks (SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const differences: unknown[] = [];
  let answered = 0;
  let judgedHere = 0;

  const askOn = async () => {
    for (let request = oddRequest(random, hosts); answered < requestsMax; request = oddRequest(random, hosts)) {
      answered++;
      if (parseRequestHead(request.toString("latin1"), 0).kind === "head") judgedHere++;
      const [one, other] = await Promise.all([ask(direct, request), askForwarded(forwarded, request)]);
      if (one !== other) differences.push({ request: request.toString("latin1"), direct: one, forwarded: other });
    }
  };
  await Promise.all(Array.from({ length: lanes }, askOn));
  console.info(`${answered} requests, ${judgedHere} judged by the listener (SEED=${seed})`);

  expect(differences.slice(0, differencesShownMax)).toEqual([]);
  expect(judgedHere).toBeGreaterThan(answered / 3);
  expect(await reportsOf(direct)).toEqual(await reportsOf(forwarded));
});

/** The clicks by every grouping that depends on the request, once all clicks are stored. */
async function reportsOf(server: TestService): Promise<unknown[]> {
  await eventually(
    async () => await (await server.visit("/metrics")).text(),
    (metrics) => metrics.includes('waypost_spool_lag_bytes{reader="store"} 0\n'),
  );
  const groupings = ["count", "country", "browser", "os", "device", "referer"];
  const paths = groupings.flatMap((groupBy) =>
    ["exclude", "only"].map((bots) => `/analytics/clicks?groupBy=${groupBy}&bots=${bots}&interval=7d`),
  );
  return await Promise.all(paths.map(async (path) => (await server.call("GET", path)).body));
}

async function ask(server: TestService, request: Buffer): Promise<string> {
  return await answerTo(await openRaw(server.url), request);
}

async function askForwarded(server: TestService, request: Buffer): Promise<string> {
  const connection = await openRaw(server.url);
  await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await connection.answers(["GET"]);
  return await answerTo(connection, request);
}

/** A response without the parts that depend on the time; "closed" if there was none. */
async function answerTo(connection: RawConnection, request: Buffer): Promise<string> {
  await connection.send(request);
  const method = request.subarray(0, 5).toString() === "HEAD " ? "HEAD" : "GET";
  const answer = await connection.answers([method]).then(textOf, () => "closed");
  connection.socket.destroy();
  return answer;
}

function textOf([answer]: WireAnswer[]): string {
  if (answer === undefined) return "closed";
  const fields = answer.fields.filter(([name]) => !ofTheMoment.has(name)).map(([name, value]) => `${name}: ${value}`);
  const text = [answer.status, ...fields.sort(), answer.body.toString()].join("\n");
  return text.replaceAll(/nonce-\w+|csp-nonce" content="\w+/g, "nonce");
}
