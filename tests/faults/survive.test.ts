/**
 * The central guarantee, on real servers: a click whose visitor has received the response is counted exactly once,
 * despite failures of the process, of the spool's disk and of the click store.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { frameHeaderBytes, segmentHeaderBytes } from "../../src/clicks/spool-format.ts";
import { seededRandom } from "../support/clicks.ts";
import { waypost } from "../support/command.ts";
import { expectCountedOnce, metric, waitUntilDrained } from "../support/counted-once.ts";
import { Visitors } from "../support/load.ts";
import {
  type Environment,
  eventually,
  ownSession,
  programCommand,
  serverEnvironment,
  startServer,
  type TestServer,
} from "../support/server.ts";
import { mountDisk } from "../support/small-disk.ts";

const repository = join(import.meta.dir, "../..");
/** About how long a server takes to start, so that kills fall on every part of a start. */
const serverStartMs = 600;
const connectionsMax = 8;
const seed = Math.floor(Math.random() * 2 ** 31);
/** The visitors' address: public, so that a country is found for it. No file of a server may contain it. */
const visitorAddress = "81.169.145.150";
const seedAndAddress = { seed, address: visitorAddress };
const keys = Array.from({ length: 12 }, (_, index) => `link${index}`);

const servers: TestServer[] = [];
afterAll(async () => {
  for (const child of lockProcesses) child.kill("SIGKILL");
  for (const server of servers) await server.remove();
});

test("every answered click is counted exactly once, despite repeated kills", async () => {
  const { random, visitors } = newVisitors(connectionsMax);
  // Small segments, so that kills also fall on their boundaries.
  let server = await newServer({ WAYPOST_SPOOL_MAX_BYTES: String(64 * 1024 ** 2) });
  const killsUnderLoad = 20;
  let startKills = 0;

  for (let kill = 1; kill <= killsUnderLoad; kill++) {
    visitors.start(server.url);
    await Bun.sleep(random() * (kill % 3 === 0 ? 50 : 500));
    await server.end("SIGKILL");
    await visitors.stop();
    if (kill % 3 === 0) {
      await killStart(server, random() * serverStartMs);
      startKills++;
    }
    server = await restart(server);
  }
  await visitors.visitTimes(server.url, 100);
  await waitUntilDrained(server);
  expect(await server.end("SIGTERM")).toBe(0);

  const dropped = 0;
  await expectCountedOnce(server, visitors, { dropped, ...seedAndAddress });
  expect(visitors.unanswered.size).toBeLessThanOrEqual(connectionsMax * killsUnderLoad);
  console.info(
    `${killsUnderLoad} kills under load and ${startKills} during starts, ${visitors.answered.size} clicks answered, ` +
      `${visitors.unanswered.size} requests cut off (seed ${seed})`,
  );
}, 240_000);

describe("after a kill in the middle of a write", () => {
  /** TABLE of bytes that may follow the last whole frame; some repeat a part of the first frame. */
  const tails: ((frames: Buffer) => Buffer)[] = [
    (frames) => frames.subarray(0, 5),
    (frames) => frames.subarray(0, frames.readUInt32LE(0) / 2),
    (frames) => frames.subarray(0, frameHeaderBytes + frames.readUInt32LE(0) - 1),
    () => Buffer.alloc(5_000),
    () => Buffer.from("not a frame at all, whatever may have written it"),
  ];

  test("bytes after the last whole frame of the spool neither lose nor repeat a click", async () => {
    const { visitors } = newVisitors(4);
    let server = await newServer();

    for (const tail of tails) {
      await visitors.visitTimes(server.url, 200);
      await server.end("SIGKILL");
      const folder = join(server.data, "spool");
      const newest = join(folder, readdirSync(folder).sort().at(-1) ?? "");
      appendFileSync(newest, tail(readFileSync(newest).subarray(segmentHeaderBytes)));
      server = await restart(server);
    }
    await visitors.visitTimes(server.url, 200);
    await waitUntilDrained(server);
    expect(await server.end("SIGTERM")).toBe(0);

    await expectCountedOnce(server, visitors, { dropped: 0, ...seedAndAddress });
  });
});

describe("while the click store is locked by another process", () => {
  test("visitors are redirected, links count clicks, reports get 503, and then each click counts once", async () => {
    const { visitors } = newVisitors(4);
    const stopped = await newServer();
    await visitors.visitTimes(stopped.url, 50);
    await waitUntilDrained(stopped);
    await stopped.end("SIGTERM");
    const lock = await lockStore(stopped);

    const server = await restart(stopped);
    await visitors.visitTimes(server.url, 500);
    const report = await server.call("GET", "/analytics/clicks");
    expect({ status: report.status, body: report.body }).toMatchObject({
      status: 503,
      body: { error: { code: "unavailable" } },
    });
    await eventually(
      () => linkClicks(server),
      (clicks) => clicks === visitors.answered.size,
    );
    await lock.release();
    await waitUntilDrained(server);
    expect(await server.call("GET", "/analytics/clicks")).toMatchObject({
      status: 200,
      body: { clicks: visitors.answered.size },
    });
    expect(await server.end("SIGTERM")).toBe(0);

    await expectCountedOnce(server, visitors, { dropped: 0, ...seedAndAddress });
  }, 240_000);
});

describe("with a full spool", () => {
  test("at its size limit, visitors are redirected, drops are counted, and later clicks are stored", async () => {
    const { visitors } = newVisitors(8);
    const stopped = await newServer();
    await stopped.end("SIGTERM");
    const lock = await lockStore(stopped);

    const environment = { ...stopped.environment, WAYPOST_SPOOL_MAX_BYTES: String(1024 ** 2) };
    const server = await restart(stopped, environment);
    await visitUntilDropping(server, visitors);
    await lock.release();
    await waitUntilDrained(server);
    const dropped = await visitUntilAccepted(server, visitors);
    await visitors.visitTimes(server.url, 500);
    await waitUntilDrained(server);
    expect(await droppedClicks(server)).toBe(dropped);
    expect(await server.end("SIGTERM")).toBe(0);

    await expectCountedOnce(server, visitors, { dropped, ...seedAndAddress });
    expect(server.output()).toContain("Clicks are dropped: visitors are redirected, but their clicks are lost.");
    expect(await lostClicks(server)).toContain(`${dropped.toLocaleString("en")} clicks dropped between 20`);
    const accepted = await waypost(["clicks", "accept-loss"], server);
    expect(accepted.code).toBe(0);
    expect(JSON.parse(accepted.stdout)).toMatchObject({
      dropped: { clicks: dropped, since: expect.stringMatching(/^20.*Z$/), last: expect.stringMatching(/^20.*Z$/) },
    });
    expect(await lostClicks(server)).toBe("none");
  }, 240_000);

  test("on a full disk, visitors are redirected, drops are counted, and later clicks are stored", async () => {
    const { visitors } = newVisitors(8);
    const stopped = await newServer();
    await stopped.end("SIGTERM");
    const disk = mountDisk(join(stopped.data, "spool"), "1m");
    if (disk.kind === "refused") {
      // On this machine, only the test above runs: its size limit stands in for the full disk.
      console.info(`This machine cannot mount a small disk: ${disk.reason}`);
      return;
    }
    try {
      const lock = await lockStore(stopped);
      const server = await restart(stopped);
      const droppedFirst = await visitUntilDropping(server, visitors);

      disk.grow("2m");
      await visitors.visitTimes(server.url, 200);
      expect(await droppedClicks(server)).toBe(droppedFirst);

      await visitUntilDropping(server, visitors);
      await lock.release();
      await waitUntilDrained(server);
      // The disk has not grown: the space comes from acknowledged segments.
      const dropped = await visitUntilAccepted(server, visitors);
      await visitors.visitTimes(server.url, 500);
      await waitUntilDrained(server);
      expect(await droppedClicks(server)).toBe(dropped);
      expect(await server.end("SIGTERM")).toBe(0);

      await expectCountedOnce(server, visitors, { dropped, ...seedAndAddress });
    } finally {
      await endServers();
      disk.unmount();
    }
  }, 240_000);
});

function newVisitors(connections: number) {
  const random = seededRandom(seed);
  return { random, visitors: new Visitors({ keys, connections, address: visitorAddress, random }) };
}

/** A server with the visitors' links. */
async function newServer(environment: Environment = {}): Promise<TestServer> {
  const server = track(await startServer({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1,::1", ...environment }));
  for (const key of keys) {
    const { status } = await server.call("POST", "/links", { body: { url: `https://example.com/${key}`, key } });
    expect(status).toBe(200);
  }
  return server;
}

/** Records the latest server of each data folder, so that the tests can end and remove it. */
function track(server: TestServer): TestServer {
  const index = servers.findIndex(({ data }) => data === server.data);
  if (index === -1) servers.push(server);
  else servers[index] = server;
  return server;
}

async function restart(server: TestServer, environment?: Environment): Promise<TestServer> {
  return track(await server.restart(environment));
}

async function endServers(): Promise<void> {
  for (const server of servers) {
    if (server.process.exitCode === null && server.process.signalCode === null) await server.end("SIGKILL");
  }
}

/** Starts a server, and kills it during or shortly after its start. */
async function killStart({ data, environment }: TestServer, afterMs: number): Promise<void> {
  const child = Bun.spawn(programCommand("serve"), {
    ...ownSession,
    env: serverEnvironment(data, environment),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  await Bun.sleep(afterMs);
  child.kill("SIGKILL");
  await child.exited;
}

type StoreLock = { release(): Promise<void> };
const lockProcesses: Bun.Subprocess[] = [];

/** Locks the click store: another process opens its file for writing, so that no server can open it. */
async function lockStore({ data }: TestServer): Promise<StoreLock> {
  const program = `
    const { DuckDBInstance } = await import("@duckdb/node-api");
    // Global, because a garbage-collected instance closes its file.
    globalThis.instance = await DuckDBInstance.create(process.argv[1]);
    globalThis.connection = await instance.connect();
    process.stdout.write("held");
    for await (const _ of process.stdin);
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, "--no-install", "--eval", program, join(data, "clicks.duckdb")], {
    cwd: repository,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  lockProcesses.push(child);
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("held");
  return {
    async release() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** What `waypost doctor` reports about lost clicks, with or without a running server. */
async function lostClicks(server: TestServer): Promise<string | undefined> {
  const { stdout } = await waypost(["doctor", "--json"], server);
  const findings = z.array(z.object({ check: z.string(), detail: z.string() })).parse(JSON.parse(stdout));
  return findings.find(({ check }) => check === "lost clicks")?.detail;
}

/** Visits until clicks are dropped; returns the number of all dropped clicks. */
async function visitUntilDropping(server: TestServer, visitors: Visitors): Promise<number> {
  const before = await droppedClicks(server);
  const answeredMax = visitors.answered.size + 30_000;
  while ((await droppedClicks(server)) === before && visitors.answered.size < answeredMax) {
    await visitors.visitTimes(server.url, 500);
  }
  const dropped = await droppedClicks(server);
  expect(dropped).toBeGreaterThan(before);
  return dropped;
}

/** Visits until a click is not dropped; returns the number of all dropped clicks. */
async function visitUntilAccepted(server: TestServer, visitors: Visitors): Promise<number> {
  const visitOnce = async () => {
    const before = await droppedClicks(server);
    await visitors.visitTimes(server.url, 1);
    const after = await droppedClicks(server);
    return { before, after };
  };
  const { after } = await eventually(visitOnce, ({ before, after }) => before === after);
  return after;
}

async function droppedClicks(server: TestServer): Promise<number> {
  return (await metric(server, "waypost_clicks_dropped_total"))[0] ?? Number.NaN;
}

/** The sum of all links' counters, as the API returns them. */
async function linkClicks(server: TestServer): Promise<number> {
  const { body } = await server.call("GET", "/links?pageSize=100");
  return z
    .array(z.object({ clicks: z.int() }))
    .parse(body)
    .reduce((sum, { clicks }) => sum + clicks, 0);
}
