/**
 * waypost clicks verify on real servers: it reports and repairs exactly the numbers that the test has corrupted, while
 * visitors click and despite kills.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { sql } from "kysely";
import { z } from "zod";
import { seededRandom } from "../support/clicks.ts";
import { type CommandResult, waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { engines } from "../support/databases.ts";
import { Visitors } from "../support/load.ts";
import { browser, type Environment, startServer, type TestServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";

const address = "81.169.145.150";
const seed = Math.floor(Math.random() * 2 ** 31);
/** The keys of links that are clicked all the time, and of one that is clicked only in the beginning. */
const busyKeys = Array.from({ length: 6 }, (_, index) => `busy${index}`);
const quietKey = "quiet";
const bucketMs = 900_000;
/** The pause between two visits of keepVisiting. */
const pauseMs = 3;

let servers: TestServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.remove();
});

const Verification = z.object({
  links: z.int(),
  quarters: z.int(),
  isComplete: z.boolean(),
  differences: z.int(),
  corrected: z.int(),
  linkDifferences: z.object({
    count: z.int(),
    rows: z.array(
      z.object({
        linkId: z.string(),
        clicks: z.int(),
        storedClicks: z.int(),
        lastClicked: z.string().nullable(),
        storedLastClicked: z.string().nullable(),
        isCorrected: z.boolean(),
      }),
    ),
  }),
  quarterDifferences: z.object({
    count: z.int(),
    rows: z.array(
      z.object({ workspaceId: z.int(), from: z.string(), isBot: z.boolean(), clicks: z.int(), storedClicks: z.int() }),
    ),
  }),
});

/**
 * A kill in the middle of a write leaves an incomplete click; the next process to open the spool removes and logs it.
 */
const cutLog = "The end of the spool was cut";

async function verify({ data, environment }: TestServer, ...args: string[]) {
  const { code, stdout, stderr } = await waypost(["clicks", "verify", "--json", ...args], { data, environment });
  expect(stderr.split("\n").filter((line) => line !== "" && !line.includes(cutLog))).toEqual([]);
  return { code, ...Verification.parse(JSON.parse(stdout)) };
}

/** The output for an instance without differences. */
const noDifferences = { code: 0, isComplete: true, differences: 0, corrected: 0 };

async function newServer(engine: (typeof engines)[number] = "sqlite", environment: Environment = {}) {
  const server = follow(await startServer({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1,::1", ...environment }, engine));
  const ids = new Map<string, string>();
  for (const key of [...busyKeys, quietKey]) {
    const { body } = await server.call("POST", "/links", { body: { url: `https://example.com/${key}`, key } });
    ids.set(key, z.object({ id: z.string() }).parse(body).id);
  }
  const idOf = (key: string) => ids.get(key) ?? "";
  return { server, idOf };
}

/** Records the latest process of each data folder, so that the tests can end and remove it. */
function follow(server: TestServer): TestServer {
  servers = [...servers.filter(({ data }) => data !== server.data), server];
  return server;
}

function newVisitors(keys: readonly string[] = busyKeys, connections = 2): Visitors {
  return new Visitors({ keys, connections, address, random: seededRandom(seed) });
}

/** Visits links until `stop`, which returns the number of visits; pauses leave the processor to other processes. */
function keepVisiting(server: TestServer): { stop(): Promise<number> } {
  let isStopping = false;
  const visits = (async () => {
    for (let visit = 0; ; visit++) {
      if (isStopping) return visit;
      const { status } = await server.visit(`/${busyKeys[visit % busyKeys.length]}`, { headers: browser });
      expect(status).toBe(302);
      await Bun.sleep(pauseMs);
    }
  })();
  return {
    stop() {
      isStopping = true;
      return visits;
    },
  };
}

/** Runs a statement on the relational database beside the server, like an operator with a console. */
async function corruptLinks(server: TestServer, statement: ReturnType<typeof sql>): Promise<void> {
  await withDatabase(server, async ({ db }) => {
    await statement.execute(db);
  });
}

/** Runs a statement on the click store of a stopped server. */
async function corruptStore({ data }: TestServer, statement: string): Promise<void> {
  const instance = await DuckDBInstance.create(join(data, "clicks.duckdb"));
  const connection = await instance.connect();
  await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

for (const engine of engines) {
  describe(`with ${engine}`, () => {
    test("exactly the corrupted numbers are reported and repaired while visitors click", async () => {
      const { server: first, idOf } = await newServer(engine);
      const firstVisitors = newVisitors([...busyKeys, quietKey]);
      await firstVisitors.visitTimes(first.url, 300);
      await waitUntilDrained(first);
      expect(await first.end("SIGTERM")).toBe(0);
      // An hour without clicks.
      const bucket = Math.floor(Date.UTC(2026, 0, 1) / bucketMs);
      await corruptStore(first, `INSERT INTO slots VALUES (1, ${bucket}, 1, 4), (1, ${bucket + 1}, 0, -2)`);
      const server = follow(await first.restart());
      const visiting = keepVisiting(server);
      const [more, later, quiet] = [idOf("busy0"), idOf("busy1"), idOf(quietKey)];
      await corruptLinks(server, sql`update "links" set "clicks" = "clicks" + 5 where "id" = ${more}`);
      await corruptLinks(server, sql`update "links" set "lastClicked" = ${Date.UTC(2099, 0)} where "id" = ${later}`);
      await corruptLinks(server, sql`update "links" set "clicks" = 0, "lastClicked" = null where "id" = ${quiet}`);

      const reported = await verify(server);
      const inWorkspace = await verify(server, "--workspace", "1");
      const corrected = await verify(server, "--fix");
      const after = await verify(server);
      const visits = await visiting.stop();
      await waitUntilDrained(server);
      const atRest = await verify(server);

      const rows = reported.linkDifferences.rows;
      expect(reported).toMatchObject({ code: 1, isComplete: true, differences: 5, corrected: 0 });
      expect(rows.map(({ linkId }) => linkId).sort()).toEqual([more, later, quiet].sort());
      const row = (id: string) => rows.find(({ linkId }) => linkId === id);
      expect((row(more)?.clicks ?? 0) - (row(more)?.storedClicks ?? 0)).toBe(5);
      expect(row(later)).toMatchObject({ lastClicked: "2099-01-01T00:00:00.000Z" });
      expect(row(later)?.clicks).toBe(row(later)?.storedClicks ?? -1);
      expect(row(quiet)).toMatchObject({ clicks: 0, lastClicked: null, storedLastClicked: expect.any(String) });
      expect(reported.quarterDifferences.rows).toEqual([
        { workspaceId: 1, from: "2026-01-01T00:00:00.000Z", isBot: true, clicks: 4, storedClicks: 0 },
        { workspaceId: 1, from: "2026-01-01T00:15:00.000Z", isBot: false, clicks: -2, storedClicks: 0 },
      ]);
      expect(inWorkspace).toMatchObject({ code: 1, differences: 5 });
      expect(corrected).toMatchObject({ code: 0, differences: 5, corrected: 5 });
      expect(after).toMatchObject(noDifferences);
      expect(atRest).toMatchObject(noDifferences);
      const { body } = await server.call("GET", "/links?pageSize=100");
      const counters = z.array(z.object({ clicks: z.int() })).parse(body);
      expect(counters.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(firstVisitors.answered.size + visits);
    }, 240_000);
  });
}

// Only Linux lets several processes share a port.
const workerCounts = process.platform === "linux" ? ["0", "2"] : ["0"];

test.each(workerCounts)(
  "with %s workers, after kills under load, verify finds no differences, whatever the cursors of the readers",
  async (workers) => {
    let { server } = await newServer("sqlite", { WAYPOST_WORKERS: workers });
    const visitors = newVisitors([...busyKeys, quietKey], 4);

    for (let kill = 0; kill < 3; kill++) {
      const answeredMin = visitors.answered.size + 400;
      visitors.start(server.url);
      while (visitors.answered.size < answeredMin) await Bun.sleep(1);
      await server.end("SIGKILL");
      await visitors.stop();
      // Without a server: the spools have clicks that only one reader, or neither, has processed.
      expect(await verify(server)).toMatchObject(noDifferences);
      server = follow(await server.restart());
      const visiting = keepVisiting(server);
      const found = [await verify(server), await verify(server, "--fix")];
      await visiting.stop();
      expect(found).toMatchObject([noDifferences, noDifferences]);
    }
  },
  240_000,
);

describe("without a server", () => {
  test("corrupted numbers are repaired, and clicks of deleted links are skipped", async () => {
    const { server, idOf } = await newServer();
    await newVisitors([...busyKeys, quietKey]).visitTimes(server.url, 200);
    await waitUntilDrained(server);
    expect((await server.call("DELETE", `/links/${idOf("busy2")}`)).status).toBe(200);
    await server.end("SIGTERM");
    await corruptLinks(server, sql`update "links" set "clicks" = "clicks" - 1 where "id" = ${idOf(quietKey)}`);

    const text = await waypost(["clicks", "verify"], server);
    const corrected = await verify(server, "--fix");

    expect(lastLine(text)).toMatch(/^Compared 7 links in 1 workspace: 1 difference\. --fix corrects them\.$/);
    expect(text.stdout).toContain("No 15-minute periods were compared: with fewer than");
    expect({ code: text.code, namesLink: text.stdout.includes(idOf(quietKey)) }).toEqual({ code: 1, namesLink: true });
    expect(corrected).toMatchObject({ code: 0, differences: 1, corrected: 1, links: 7 });
    expect(await verify(server)).toMatchObject({ ...noDifferences, links: 7 });
  });

  test("when links have counted more clicks than are stored, verify advises restoring the store before --fix lowers counters", async () => {
    const { server, idOf } = await newServer();
    await newVisitors([...busyKeys, quietKey]).visitTimes(server.url, 200);
    await waitUntilDrained(server);
    await server.end("SIGTERM");
    await corruptLinks(server, sql`update "links" set "clicks" = "clicks" + 1 where "id" = ${idOf(quietKey)}`);

    const text = await waypost(["clicks", "verify"], server);

    expect(text.code).toBe(1);
    expect(lastLine(text)).toContain("restore it: --fix would lower these counters.");
  });

  test("the advice to restore the store first does not depend on the differences that are listed", async () => {
    const { server, idOf } = await newServer();
    await newVisitors([...busyKeys, quietKey]).visitTimes(server.url, 200);
    await waitUntilDrained(server);
    await server.end("SIGTERM");
    await withDatabase(server, async ({ db }) => {
      const stored = await db
        .selectFrom("links")
        .selectAll()
        .where("id", "=", idOf(quietKey))
        .executeTakeFirstOrThrow();
      // SQLite numbers the rows.
      const { seq: _, ...link }: typeof stored & { seq?: number } = stored;
      // Each has a last click that is not stored, and an id before all others.
      const different = Array.from({ length: 1_001 }, (_, index) => ({
        ...link,
        ...{ id: `link_0000${index}`, key: `different${index}`, foldedKey: `different${index}`, externalId: null },
        ...{ clicks: 0, lastClicked: 1 },
      }));
      for (let start = 0; start < different.length; start += 100) {
        await db
          .insertInto("links")
          .values(different.slice(start, start + 100))
          .execute();
      }
    });
    await corruptLinks(server, sql`update "links" set "clicks" = "clicks" + 1 where "id" = ${idOf(quietKey)}`);

    const text = await waypost(["clicks", "verify"], server);

    expect(text.stdout).toContain("1,002 differences");
    expect(lastLine(text)).toContain("restore it: --fix would lower these counters.");
  });

  test("no counter is lowered by the clicks that only another node has", async () => {
    const { server, idOf } = await newServer();
    await newVisitors([...busyKeys, quietKey]).visitTimes(server.url, 200);
    await waitUntilDrained(server);
    await server.end("SIGTERM");
    // As another node on the same database would store it.
    await corruptLinks(server, sql`insert into "counterCursors" values ('of another node', 0, 500)`);
    await corruptLinks(server, sql`update "links" set "clicks" = "clicks" + 7 where "id" = ${idOf("busy0")}`);
    await corruptLinks(server, sql`update "links" set "clicks" = 0 where "id" = ${idOf("busy1")}`);

    const found = await verify(server, "--fix");

    expect(found).toMatchObject({ code: 0, isComplete: false, differences: 1, corrected: 1 });
    expect(found.linkDifferences.rows.map(({ linkId }) => linkId)).toEqual([idOf("busy1")]);
  });

  test("rejects an unknown workspace", async () => {
    const { server } = await newServer();
    await server.end("SIGTERM");

    const { code, stdout, stderr } = await waypost(["clicks", "verify", "--workspace", "77"], server);

    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: "waypost: There is no workspace 77.\n" });
  });
});

function lastLine({ stdout }: CommandResult): string | undefined {
  return stdout.trimEnd().split("\n").at(-1);
}
