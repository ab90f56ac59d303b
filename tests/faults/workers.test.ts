/**
 * Redirect workers, with real processes: all answer, all see a change at once, and after a kill of any process, no
 * answered click is lost or counted twice. Only Linux lets several processes share a port.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { restartDelayMs } from "../../src/base/restart-delay.ts";
import { readLosses } from "../../src/clicks/lost-clicks.ts";
import { seededRandom } from "../support/clicks.ts";
import { answeredByWorker, expectCountedOnce, metric, waitUntilDrained } from "../support/counted-once.ts";
import { engines } from "../support/databases.ts";
import { Visitors } from "../support/load.ts";
import { isAlive, processesOf } from "../support/processes.ts";
import { type Environment, eventually, startServer, type TestServer } from "../support/server.ts";
import { browserAgent } from "../support/spools.ts";
import { stopUntilMoved } from "../support/stops.ts";

const seed = Math.floor(Math.random() * 2 ** 31);
const address = "81.169.145.150";
const keys = Array.from({ length: 8 }, (_, index) => `link${index}`);
const workersCount = 2;

const Death = z.object({ process: z.string(), signal: z.string(), delayMs: z.number() });

let servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers) await server.remove();
  servers = [];
});

async function newServer(environment: Environment = {}, engine: (typeof engines)[number] = "sqlite") {
  const server = await startServer(
    { WAYPOST_WORKERS: String(workersCount), WAYPOST_TRUSTED_PROXIES: "127.0.0.1", ...environment },
    engine,
  );
  servers.push(server);
  for (const key of keys) {
    const { status } = await server.call("POST", "/links", { body: { url: `https://example.com/${key}`, key } });
    expect(status).toBe(200);
  }
  return server;
}

async function restarted(server: TestServer, environment: Environment): Promise<TestServer> {
  const next = await server.restart(environment);
  servers = servers.map((each) => (each === server ? next : each));
  return next;
}

/** Few connections, since each requests as fast as it is answered, and the main process needs processor time too. */
function newVisitors(connections = 3): Visitors {
  return new Visitors({ keys, connections, address, random: seededRandom(seed) });
}

for (const engine of engines) {
  describe(`with ${engine}`, () => {
    test("all workers answer, and each sees a change on the next visit", async () => {
      const server = await newServer({}, engine);
      const visitors = newVisitors();
      await visitors.visitTimes(server.url, 400);

      for (let change = 1; change <= 10; change++) {
        const url = `https://example.com/changed/${change}`;
        await server.call("PATCH", `/links/${await idOf(server, "link0")}`, { body: { url } });
        // Each visit on a separate connection, so that they spread over the workers.
        const visits = Array.from({ length: 6 }, () => locationOf(server, "/link0"));
        expect([change, new Set(await Promise.all(visits))]).toEqual([change, new Set([url])]);
      }

      const answered = await answeredByWorker(server, workersCount);
      expect(Math.min(...answered)).toBeGreaterThan(0);
      await waitUntilDrained(server);
      expect(await server.call("GET", "/analytics/clicks")).toMatchObject({
        status: 200,
        body: { clicks: visitors.answered.size },
      });
    });

    test("of simultaneous visitors to all workers, exactly maxClicks are redirected", async () => {
      const server = await newServer({}, engine);
      const url = "https://example.com/limited";
      await server.call("POST", "/links", { body: { url, key: "limited", maxClicks: 20 } });

      const visits = Array.from({ length: 60 }, () => locationOf(server, "/limited", browserAgent));
      const locations = (await Promise.all(visits)).filter((location) => location !== null);

      expect(locations).toEqual(new Array<string>(20).fill(url));
      const refused = await answeredByWorker(server, workersCount, "page");
      const redirected = await answeredByWorker(server, workersCount);
      expect(Math.min(...redirected.map((count, worker) => count + (refused[worker] ?? 0)))).toBeGreaterThan(0);
    });
  });
}

describe("when the main process is killed", () => {
  test("no visit fails, API calls get 503 until it has restarted, and every click is counted once", async () => {
    const server = await newServer();
    const visitors = newVisitors();
    visitors.start(server.url);
    const unavailable: unknown[] = [];

    for (let kill = 1; kill <= 4; kill++) {
      process.kill(processesOf(server).main, "SIGKILL");
      const { status, headers, body } = await server.call("GET", "/links");
      if (status === 503) unavailable.push([headers.get("retry-after"), body]);
      await eventually(
        () => server.visit("/readyz"),
        ({ status }) => status === 200,
      );
    }
    await visitors.stop();
    expect({ unanswered: visitors.unanswered.size, unexpectedResponses: visitors.unexpectedResponses }).toEqual({
      unanswered: 0,
      unexpectedResponses: [],
    });
    expect(unavailable.length).toBeGreaterThan(0);
    expect(unavailable[0]).toEqual(["1", { error: { code: "unavailable", message: expect.any(String) } }]);
    await waitUntilDrained(server);
    // The main process, two workers and the store. The supervisor sends these counts once the main process has started.
    await eventually(
      () => metric(server, "waypost_restarts_total"),
      (restarts) => Bun.deepEquals(restarts, [4, 0, 0, 0]),
    );
    expect(await server.end("SIGTERM")).toBe(0);

    await expectCountedOnce(server, visitors, { dropped: 0, seed, address });
  });
});

describe("when workers are killed", () => {
  // This checks the delay before each start, not the duration of the start, which depends on the machine.
  test("each restarts without delay, the others keep answering, and every answered click is counted once", async () => {
    const server = await newServer();
    const visitors = newVisitors();

    for (let kill = 1; kill <= 12; kill++) {
      visitors.start(server.url);
      const before = processesOf(server).workers;
      const killed = before[kill % workersCount];
      if (killed === undefined) throw new Error(`There are too few workers: ${before}`);
      process.kill(killed, "SIGKILL");
      await eventually(
        async () => processesOf(server).workers,
        (workers) => workers.length === workersCount && !workers.includes(killed),
      );
      await eventually(
        () => workersUp(server),
        (up) => up === workersCount,
      );
      await visitors.stop();
    }
    await visitors.visitTimes(server.url, 100);
    await waitUntilDrained(server);
    const died = (process: string) => ({ process, signal: "SIGKILL", delayMs: 0 });
    const deaths = await eventually(
      async () => deathsIn(server),
      ({ length }) => length === 12,
    );
    expect(await server.end("SIGTERM")).toBe(0);

    expect(deaths.slice(0, 4)).toEqual(["worker-2", "worker-1", "worker-2", "worker-1"].map(died));
    await expectCountedOnce(server, visitors, { dropped: 0, seed, address });
  });

  test("the first two restarts in a row have no delay, and later ones at most five seconds", () => {
    expect([1, 2, 3, 4, 5, 8, 9, 100].map(restartDelayMs)).toEqual([0, 0, 100, 200, 400, 3_200, 5_000, 5_000]);
  });
});

describe("when the service is stopped or killed", () => {
  test("a stop under load loses no answered click and leaves none in the spools", async () => {
    const visitors = newVisitors();
    const stopUnderLoad = async (server: TestServer) => {
      const answeredMin = visitors.answered.size + 200;
      visitors.start(server.url);
      while (visitors.answered.size < answeredMin) await Bun.sleep(1);
      const { main, workers } = processesOf(server);
      expect(await server.end("SIGTERM")).toBe(0);
      await visitors.stop();
      expect([main, ...workers].filter(isAlive)).toEqual([]);
    };

    const stopped = await stopUntilMoved(await newServer(), stopUnderLoad, (server) =>
      restarted(server, server.environment),
    );

    await expectCountedOnce(stopped, visitors, { dropped: 0, seed, address });
  }, 240_000);

  test("the children of a killed supervisor exit too, and the next supervisor starts at once", async () => {
    const server = await newServer();
    const { main, workers } = processesOf(server);

    await server.end("SIGKILL");

    await eventually(
      async () => [main, ...workers].filter(isAlive),
      (alive) => alive.length === 0,
    );
    const next = await restarted(server, server.environment);
    expect((await next.visit("/link0")).status).toBe(302);
  });

  test("a segment with a damaged header is set aside at a worker's restart, and its clicks are recorded as lost", async () => {
    const server = await newServer();
    await newVisitors().visitTimes(server.url, 400);
    await waitUntilDrained(server);
    // Connections may all have gone to one worker: the one with the longest segment has clicks.
    const segments = Array.from({ length: workersCount }, (_, index) => segmentOf(server, index));
    const { folder, path, bytes, index } = segments.reduce((longest, segment) =>
      longest.bytes.length >= segment.bytes.length ? longest : segment,
    );
    // In place, since the worker has the file open.
    writeFileSync(path, bytes.fill(0xff, 0, 32), { flag: "r+" });

    const worker = processesOf(server).workers[index];
    if (worker === undefined) throw new Error(`There is no worker ${index + 1}.`);
    process.kill(worker, "SIGKILL");
    const lost = await eventually(
      async () => readLosses(folder).damaged,
      (damaged) => damaged !== null,
    );

    expect(lost?.reason).toMatch(/^the header of .* is damaged$/);
    expect(lost?.clicks).toBeGreaterThan(0);
    expect(readdirSync(folder).some((name) => name.endsWith(".damaged"))).toBe(true);
  });

  test("the clicks of former workers are stored, and their folders are removed", async () => {
    const server = await newServer();
    const visitors = newVisitors();
    await visitors.visitTimes(server.url, 300);
    await server.end("SIGKILL");

    const alone = await restarted(server, { ...server.environment, WAYPOST_WORKERS: "0" });
    await visitors.visitTimes(alone.url, 100);
    await waitUntilDrained(alone);
    await eventually(
      async () => readdirSync(join(alone.data, "spool")).filter((name) => name.startsWith("worker-")),
      (folders) => folders.length === 0,
    );
    expect(await alone.end("SIGTERM")).toBe(0);

    await expectCountedOnce(alone, visitors, { dropped: 0, seed, address });
  });
});

test("workers forward requests of many kinds unchanged, with the address of the client", async () => {
  const server = await newServer();

  const created = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      server.call("POST", "/links", {
        body: { url: `https://example.com/${index}`, comments: "x".repeat(index * 40) },
      }),
    ),
  );
  const health = await server.visit("/healthz");
  const foreign = await server.visit("/metrics", { headers: { "X-Forwarded-For": "203.0.113.9" } });

  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([200]));
  expect(health.status).toBe(200);
  // Workers forward the client's address too: a request that comes through a proxy is not from this machine.
  expect(foreign.status).toBe(403);
  expect(existsSync(join(server.data, "main.sock"))).toBe(true);
});

/** The newest segment of a worker's spool. */
function segmentOf(server: TestServer, index: number) {
  const folder = join(server.data, "spool", `worker-${index + 1}`);
  const name = readdirSync(folder)
    .filter((name) => name.endsWith(".spool"))
    .toSorted()
    .at(-1);
  if (name === undefined) throw new Error(`There is no segment in ${folder}.`);
  const path = join(folder, name);
  return { folder, path, index, bytes: readFileSync(path) };
}

/** The deaths that the supervisor has logged, in order: the process, its signal and the delay of its restart. */
function deathsIn(server: TestServer): z.output<typeof Death>[] {
  const lines = server.output().split("\n").slice(0, -1);
  return lines.filter((line) => line.includes("A process died")).map((line) => Death.parse(JSON.parse(line)));
}

/** The number of workers that answer; 0 when this request's connection ended with the killed worker. */
async function workersUp(server: TestServer): Promise<number> {
  const up = await metric(server, "waypost_worker_up").catch(() => []);
  return up.reduce((sum, count) => sum + count, 0);
}

async function idOf(server: TestServer, key: string): Promise<string> {
  const { body } = await server.call("GET", `/links/info?domain=localhost&key=${key}`);
  return z.object({ id: z.string() }).parse(body).id;
}

async function locationOf(server: TestServer, path: string, agent = "curl/8"): Promise<string | null> {
  const response = await fetch(server.url + path, {
    headers: { Host: "localhost", Connection: "close", "User-Agent": agent },
    redirect: "manual",
    keepalive: false,
  });
  return response.headers.get("location");
}
