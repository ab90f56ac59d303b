/**
 * Three nodes on one PostgreSQL and one ClickHouse answer visits while nodes, PostgreSQL and ClickHouse are killed,
 * stopped, frozen, disconnected and made to lose answers, in random order. Each visit has a referrer of its number, so that
 * the stored clicks show which visits were counted, and how often.
 *
 * To repeat a run: SURVIVE_SEEDS=7,8 SURVIVE_VISITS=20000 npm run test:clickhouse -- tests/clickhouse/survive.test.ts
 */
import { describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { minuteMs } from "../../src/base/time.ts";
import { openPostgresClient } from "../../src/database/postgres-client.ts";
import { pick, type Random, seededRandom } from "../support/clicks.ts";
import { type OwnPostgres, startPostgres } from "../support/postgres.ts";
import { browser, type Environment, eventually, programCommand, startOn, type TestServer } from "../support/server.ts";
import { type OwnClickHouse, startClickHouse } from "./clickhouse.ts";
import { type NodeNetwork, networkKind, openNodeNetwork, sharedEngines } from "./node-network.ts";

const seeds = (process.env["SURVIVE_SEEDS"] ?? "1,2,3").split(",").map(Number);
const visits = Number(process.env["SURVIVE_VISITS"] ?? "20000");
const visitorsAtOnce = 8;
const linksCount = 20;
const visitTimeMaxMs = 3_000;
/** Between two visits of a visitor, so that a run meets some dozens of disturbances. */
const visitPauseMs = 6;
const runMsMax = 15 * minuteMs;
/** An insert whose connection was cut is repeated after two minutes. */
const countedWithinMs = 4 * minuteMs;
/** Some cuts are longer than every time limit of a connection and every lease of a task. */
const longCutShare = 0.1;
const longCutMs = 20_000;

/** A node that is killed and started again; `server` is undefined while it is down. */
class SurvivingNode {
  readonly #data = mkdtempSync(join(tmpdir(), "waypost-survive-"));
  readonly #environment: Environment;
  readonly network: NodeNetwork;
  #isFrozen = false;
  server: TestServer | undefined;
  /** What the node wrote when it ended by itself. */
  readonly exits: string[] = [];

  constructor(network: NodeNetwork, environment: Environment) {
    const { host, postgres, clickHouse } = network;
    this.network = network;
    this.#environment = {
      ...environment,
      ...{ WAYPOST_HOST: host, WAYPOST_DATABASE_URL: postgres.url, WAYPOST_CLICKS_URL: clickHouse.url },
    };
  }

  get isAnswering(): boolean {
    return this.server !== undefined && !this.#isFrozen;
  }

  /** Starts the node until it runs, as a process manager does. */
  async start(): Promise<void> {
    this.notice();
    while (this.server === undefined) {
      const command = this.network.command(programCommand("serve"));
      this.server = await startOn(this.#data, command, this.#environment).catch(() => undefined);
    }
  }

  /** Notices when the node has ended by itself. */
  notice(): void {
    if (this.server === undefined || this.server.process.exitCode === null) return;
    this.exits.push(this.server.output());
    this.server = undefined;
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await server?.end(signal);
  }

  async freeze(durationMs: number): Promise<void> {
    const frozen = this.server?.process;
    if (frozen === undefined) return;
    this.#isFrozen = true;
    frozen.kill("SIGSTOP");
    await Bun.sleep(durationMs);
    frozen.kill("SIGCONT");
    this.#isFrozen = false;
  }

  async remove(): Promise<void> {
    await this.start();
    await this.server?.remove();
    await this.network.close();
  }
}

/** The engines and nodes of a run. */
type World = { postgres: OwnPostgres; clickHouse: OwnClickHouse; nodes: SurvivingNode[]; clicksUrl: string };

/** What was sent, and the visits that were answered. */
type Sent = { links: string[]; answered: Map<number, string>; unanswered: Set<number>; wrong: string[] };

describe("three nodes", () => {
  for (const seed of seeds) {
    test(
      `count every one of ${visits} answered visits once, whatever is killed or cut off by ${networkKind} (seed ${seed})`,
      async () => {
        const random = seededRandom(seed);
        const world = await openWorld();
        try {
          const sent = await visitAll(world, random);
          await Promise.all(world.nodes.map((node) => node.start()));
          await expectCounted(world, sent);
        } finally {
          await closeWorld(world);
        }
      },
      runMsMax,
    );
  }
});

async function openWorld(): Promise<World> {
  const [postgres, clickHouse] = await Promise.all([startPostgres(), startClickHouse()]);
  const [databaseUrl, clicksUrl] = await Promise.all([postgres.createDatabase(), clickHouse.createDatabase()]);
  await keepCommits(databaseUrl);
  const environment = {
    ...{ WAYPOST_SECRET: "a-secret-of-all-nodes-with-32-characters", WAYPOST_LOG_LEVEL: "error" },
    WAYPOST_CLICKS_INTERVAL_MS: "250",
  };
  const urls = { postgres: databaseUrl, clickHouse: clicksUrl };
  const networks = await Promise.all([0, 1, 2].map((index) => openNodeNetwork(urls, index)));
  const nodes = networks.map((network) => new SurvivingNode(network, environment));
  for (const node of nodes) await node.start();
  return { postgres, clickHouse, nodes, clicksUrl };
}

/** Servers of tests lose commits when they are killed, unless the database asks for them. */
async function keepCommits(databaseUrl: string): Promise<void> {
  const client = await openPostgresClient(databaseUrl);
  const name = new URL(databaseUrl).pathname.slice(1);
  await client.query(`alter database ${name} set synchronous_commit = on`);
  await client.end();
}

async function closeWorld({ postgres, clickHouse, nodes }: World): Promise<void> {
  for (const node of nodes) await node.remove();
  await Promise.all([postgres.stop(), clickHouse.stop()]);
}

/** Sends all visits while disturbances run, one after the other on each target. */
async function visitAll(world: World, random: Random): Promise<Sent> {
  const links = await createLinks(world);
  const sent: Sent = { links, answered: new Map(), unanswered: new Set(), wrong: [] };
  let next = 0;
  const disturbing = disturb(world, random, () => next >= visits);
  const visitor = async () => {
    while (next < visits) {
      const node = pick(
        random,
        world.nodes.filter(({ isAnswering }) => isAnswering),
      );
      if (node?.server === undefined) await Bun.sleep(20);
      else await visit(node.server, next++, pick(random, links), sent);
      await Bun.sleep(visitPauseMs);
    }
  };
  await Promise.all(Array.from({ length: visitorsAtOnce }, visitor));
  await disturbing;
  return sent;
}

async function createLinks({ nodes }: World): Promise<string[]> {
  const keys = Array.from({ length: linksCount }, (_, index) => `link-${index}`);
  for (const key of keys) {
    const answer = await nodes[0]?.server?.call("POST", "/links", { body: { url: "https://target.example/", key } });
    expect(answer?.status).toBe(200);
  }
  for (const { server } of nodes) {
    await eventually(
      async () => await server?.visit(`/${keys.at(-1)}`, { method: "HEAD" }),
      (answer) => answer?.status === 302,
    );
  }
  return keys;
}

async function visit(server: TestServer, number: number, key: string, sent: Sent): Promise<void> {
  try {
    const response = await fetch(`${server.url}/${key}`, {
      headers: { Host: "localhost", ...browser, Referer: `https://visits.example/${number}` },
      redirect: "manual",
      signal: AbortSignal.timeout(visitTimeMaxMs),
    });
    if (response.status === 302) sent.answered.set(number, key);
    else sent.wrong.push(`visit ${number} of ${key}: ${response.status}`);
    await response.body?.cancel();
  } catch {
    // The node was killed or frozen during the visit, which may be counted or not.
    sent.unanswered.add(number);
  }
}

/** Disturbs until `isOver`, and returns when everything runs again. */
async function disturb(world: World, random: Random, isOver: () => boolean): Promise<void> {
  const { postgres, clickHouse, nodes } = world;
  const shortly = () => 200 + Math.floor(random() * 2_000);
  const pausing = async () => await Bun.sleep(200 + Math.floor(random() * 800));
  const disturbNode = async (node: SurvivingNode) => {
    const kind = pick(random, ["kill", "stop", "freeze"] as const);
    if (kind === "freeze") return await node.freeze(shortly());
    await node.end(kind === "kill" ? "SIGKILL" : "SIGTERM");
    await Bun.sleep(shortly() / 4);
    await node.start();
  };
  const repeat = async (disturbance: () => Promise<void>) => {
    while (!isOver()) {
      await pausing();
      if (!isOver()) await disturbance();
    }
  };
  await Promise.all([
    repeat(() => disturbNode(pick(random, nodes))),
    repeat(async () => {
      const { network } = pick(random, nodes);
      const paths = pick(random, [["postgres"], ["clickHouse"], sharedEngines] as const).map(
        (engine) => network[engine],
      );
      for (const path of paths) path.cut();
      await Bun.sleep(random() < longCutShare ? longCutMs : shortly());
      for (const path of paths) path.repair();
    }),
    repeat(async () => {
      await Bun.sleep(shortly());
      const kind = pick(random, ["kill", "interrupt", "freeze"] as const);
      await postgres[kind]();
      await Bun.sleep(shortly());
      await (kind === "freeze" ? postgres.thaw() : postgres.resume());
    }),
    repeat(async () => {
      const statement = "INSERT INTO clicks";
      const last = pick(random, ["refuse", "dieAfter"] as const);
      await clickHouse.arm(
        { kind: "dropAnswer", statement },
        { kind: "executeTwice", statement },
        { kind: last, statement },
      );
      await Bun.sleep(1_000 + shortly());
      clickHouse.freeze();
      await Bun.sleep(random() < longCutShare ? longCutMs : shortly());
      clickHouse.thaw();
      await Bun.sleep(shortly());
      await clickHouse.kill();
      await Bun.sleep(shortly());
      await clickHouse.start();
    }),
  ]);
}

/** Checks the stored clicks visit by visit, and the counters of the links. */
async function expectCounted(world: World, { links, answered, unanswered, wrong }: Sent): Promise<void> {
  const client = createClient({ url: world.clicksUrl });
  const read = async () => {
    // Clicks of a node that has ended would never be stored.
    for (const node of world.nodes) node.notice();
    expect(world.nodes.flatMap(({ exits }) => exits)).toEqual([]);
    const query = "SELECT refererUrl, key, count() AS stored FROM clicks WHERE bot = '' GROUP BY refererUrl, key";
    const rows = await (await client.query({ query, format: "JSONEachRow" })).json<Record<string, unknown>>();
    return rows.map((row) => ({
      number: Number(String(row["refererUrl"]).replace("https://visits.example/", "")),
      key: String(row["key"]),
      stored: Number(row["stored"]),
    }));
  };
  const stored = await eventually(
    read,
    (rows) => {
      const numbers = new Set(rows.map(({ number }) => number));
      return [...answered.keys()].every((number) => numbers.has(number));
    },
    countedWithinMs,
  );
  const counted = stored.map(({ stored }) => stored);
  const surprising = stored.filter(({ number, key }) => !unanswered.has(number) && answered.get(number) !== key);
  const byLink = Map.groupBy(stored, ({ key }) => key);
  const expected = links.map((key) => [key, byLink.get(key)?.length ?? 0]);
  const counters = await eventually(
    () => readCounters(world, links),
    (found) => JSON.stringify(found) === JSON.stringify(expected),
    countedWithinMs,
  );
  await client.close();

  expect({ wrong, surprising, twice: counted.filter((count) => count !== 1).length }).toEqual({
    ...{ wrong: [], surprising: [], twice: 0 },
  });
  expect(counters).toEqual(expected);
  expect(stored.length).toBeGreaterThanOrEqual(answered.size);
  expect(answered.size).toBeGreaterThan(visits / 2);
}

async function readCounters({ nodes }: World, links: readonly string[]): Promise<(string | number)[][]> {
  const answer = await nodes[0]?.server?.call("GET", "/links?pageSize=100");
  const rows: { key: string; clicks: number }[] = Array.isArray(answer?.body) ? answer.body : [];
  const clicks = new Map(rows.map((row) => [row.key, row.clicks]));
  return links.map((key) => [key, clicks.get(key) ?? 0]);
}
