import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { dayMs } from "../../src/base/time.ts";
import { DatabaseAwayError } from "../../src/cli/explain-failure.ts";
import { lockDatabase } from "../../src/cli/lock-database.ts";
import { readConfig } from "../../src/config.ts";
import { dataPaths } from "../../src/data-paths.ts";
import { connect, type Db } from "../../src/database/database.ts";
import { isReplicaUsable } from "../../src/redirects/replica/lookup-replica.ts";
import { createAuthority } from "../support/certificates.ts";
import { waypost } from "../support/command.ts";
import { sharedPostgres, startPostgres } from "../support/postgres.ts";
import { processesOf } from "../support/processes.ts";
import { askRaw } from "../support/raw-connection.ts";
import { browser, eventually, programCommand, startOn, type TestServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";
import { heldBy, storeCertificate, storedSecret } from "../support/stored-certificates.ts";

async function visit(server: TestServer, path: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let click = 0; click < count; click++) statuses.push((await server.visit(path, { headers: browser })).status);
  return statuses;
}

async function waitForCopyOfLinks({ data }: TestServer): Promise<void> {
  await eventually(
    async () => isReplicaUsable(dataPaths({ WAYPOST_DATA: data }).replica),
    (isUsable) => isUsable,
  );
}

test.each([0, 2])(
  "a node with %d redirect workers that starts while PostgreSQL is down redirects and records, and continues completely when it is back",
  async (workers) => {
    const postgres = await startPostgres();
    const environment = {
      WAYPOST_DATABASE_URL: await postgres.createDatabase(),
      WAYPOST_WORKERS: String(workers),
    };
    let server = await startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), programCommand("serve"), environment);
    try {
      const { body } = await server.call("POST", "/links", { body: { url: "https://a.example/", key: "go" } });
      await server.call("POST", "/links", { body: { url: "https://b.example/", key: "limited", maxClicks: 9 } });
      await visit(server, "/go", 1);
      await server.end("SIGKILL");
      await postgres.interrupt();

      server = await server.restart();
      expect(server.output()).toMatch(/PostgreSQL does not answer: .*no PostgreSQL answers at 127\.0\.0\.1:\d+ \(/);
      const first = await visit(server, "/go", 5);
      const limited = await visit(server, "/limited", 1);
      const call = await server.call("GET", "/links");
      const [health, ready] = [await fetch(`${server.url}/healthz`), await fetch(`${server.url}/readyz`)];
      await server.end("SIGKILL");
      server = await server.restart();
      const second = await visit(server, "/go", 3);
      const stopped = await server.end("SIGTERM");
      server = await server.restart();
      const third = await visit(server, "/go", 2);
      await postgres.resume();
      const statuses: number[] = [];
      const back = await eventually(
        async () => {
          statuses.push(...(await visit(server, "/go", 1)));
          return await server.call("GET", "/links");
        },
        ({ status }) => status === 200,
      );

      const answered = [...first, ...second, ...third, ...statuses];
      expect(answered).toEqual(answered.map(() => 302));
      expect([...limited, call.status, health.status, ready.status, stopped]).toEqual([503, 503, 200, 200, 0]);
      expect(back.status).toBe(200);
      const id = Object(body).id;
      const counted = await eventually(
        () => server.call("GET", `/links/${id}`),
        ({ body }) => Object(body).clicks === 1 + answered.length,
      );
      const report = await eventually(
        () => server.call("GET", `/analytics?event=clicks&groupBy=count&linkId=${id}&interval=all`),
        ({ body }) => Object(body).clicks === 1 + answered.length,
      );
      const visitors = await server.call(
        "GET",
        `/analytics?event=clicks&metric=visitors&groupBy=count&linkId=${id}&interval=all`,
      );
      expect([Object(counted.body).clicks, Object(report.body).clicks]).toEqual([
        ...[1 + answered.length, 1 + answered.length],
      ]);
      // One more for each start with temporary salts, whichever process answered.
      expect(Object(visitors.body).visitors).toBe(1 + 3);
      await eventually(
        async () => readdirSync(join(server.data, "spool")).filter((name) => !name.endsWith(".spool")),
        (others) => others.every((name) => !/^worker-\d{3}$/.test(name) && name !== "detached"),
      );
    } finally {
      await server.remove();
      await postgres.stop();
    }
  },
);

test("a start that PostgreSQL leaves at its last query is repeated, and counts the clicks that waited", async () => {
  const postgres = await startPostgres();
  const environment = { WAYPOST_DATABASE_URL: await postgres.createDatabase() };
  let server = await startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), programCommand("serve"), environment);
  try {
    const { body } = await server.call("POST", "/links", { body: { url: "https://a.example/", key: "go" } });
    await waitForCopyOfLinks(server);
    await server.end("SIGKILL");
    await postgres.interrupt();
    server = await server.restart();
    const waiting = await visit(server, "/go", 5);
    await server.end("SIGKILL");
    await postgres.resume();
    await withDatabase(server, ({ db }) => leaveAtIdentities.execute(db));

    server = await server.restart();
    const attempts = await eventually(
      () => withDatabase(server, ({ db }) => attemptsOf(db)),
      (count) => count >= 3,
    );
    const between = await visit(server, "/go", 2);
    await withDatabase(server, ({ db }) => stayAtIdentities.execute(db));

    expect(attempts).toBeGreaterThanOrEqual(3);
    const answered = [...waiting, ...between];
    expect(answered).toEqual(answered.map(() => 302));
    const counted = await eventually(
      () => server.call("GET", `/links/${Object(body).id}`),
      ({ body }) => Object(body).clicks === answered.length,
    );
    expect(Object(counted.body).clicks).toBe(answered.length);
  } finally {
    await server.remove();
    await postgres.stop();
  }
});

test("a start whose connection breaks before its turn among nodes throws that PostgreSQL is away", async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const data = mkdtempSync(join(tmpdir(), "waypost-test-"));
  const configOf = (name: string) =>
    readConfig({
      WAYPOST_DATA: join(data, name),
      ...{ WAYPOST_DATABASE_URL: url, WAYPOST_CLICKS_URL: "http://127.0.0.1:9/clicks" },
    });
  for (const name of ["first", "waiting"]) mkdirSync(join(data, name));
  const [first, held] = [
    await lockDatabase(configOf("first"), undefined),
    await lockDatabase(configOf("waiting"), undefined),
  ];
  const other = connect({ kind: "postgres", url }, "full");
  const [hasBegun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const firstStart = first.startAlone(async () => {
    hasBegun.resolve();
    await end.promise;
  });
  await hasBegun.promise;

  const waiting = held.startAlone(async () => "started").catch((error: unknown) => error);
  await endOtherSessions.execute(other.db);
  const waited = await waiting;
  end.resolve();
  await firstStart;

  expect(waited).toBeInstanceOf(DatabaseAwayError);
  await first.release();
  await held.release();
  await other.close();
  await postgres.stop();
  rmSync(data, { recursive: true });
});

const endOtherSessions = sql`select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/** Ends each session that reads the identities, which a start does last, and counts them. */
const leaveAtIdentities = sql`
  create sequence "attempts";
  alter table "identities" rename to "storedIdentities";
  create view "identities" as select "storedIdentities".*
    from (select nextval('attempts'), pg_terminate_backend(pg_backend_pid()) as "isEnded" offset 0) as "session"
    left join "storedIdentities" on "session"."isEnded"`;
const stayAtIdentities = sql`drop view "identities"; alter table "storedIdentities" rename to "identities"`;

async function attemptsOf(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select last_value::int as count from "attempts"`.execute(db);
  return rows[0]?.count ?? 0;
}

test("a redirect worker that is killed while PostgreSQL is down is restarted", async () => {
  const postgres = await startPostgres();
  const environment = { WAYPOST_DATABASE_URL: await postgres.createDatabase(), WAYPOST_WORKERS: "1" };
  const server = await startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), programCommand("serve"), environment);
  try {
    await server.call("POST", "/links", { body: { url: "https://a.example/", key: "go" } });
    await waitForCopyOfLinks(server);
    await postgres.interrupt();
    const [worker] = processesOf(server).workers;
    if (worker === undefined) throw new Error("The server has no worker.");

    process.kill(worker, "SIGKILL");

    const visited = await eventually(
      () => server.visit("/go", { headers: browser }).catch(() => undefined),
      (response) => response !== undefined,
    );
    expect(visited?.status).toBe(302);
    expect(processesOf(server).workers).not.toEqual([worker]);
  } finally {
    await server.remove();
    await postgres.stop();
  }
});

test.each([0, 1])(
  "a node with %d redirect workers that starts while PostgreSQL is down answers HTTPS with the certificates that it had, and a removed one is gone",
  async (workers) => {
    const postgres = await startPostgres();
    const authority = createAuthority();
    const [kept, removed] = ["kept.example.com", "removed.example.com"];
    const environment = {
      WAYPOST_DATABASE_URL: await postgres.createDatabase(),
      WAYPOST_SECRET: storedSecret,
      WAYPOST_HTTPS_PORT: "0",
      WAYPOST_WORKERS: String(workers),
    };
    let server = await startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), programCommand("serve"), environment);
    const certificateOf = (name: string) => {
      const { chain, privateKey: key } = authority.issue([name]);
      return { ...heldBy(name, { chain, key }), notAfter: Date.now() + dayMs, changedAt: Date.now() };
    };
    const handshake = async (name: string) => {
      const [, port] = /"httpsPort":(\d+)/.exec(server.output()) ?? [];
      const request = `GET /go HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
      const answer = await askRaw(`https://127.0.0.1:${port}`, request, {
        tls: { servername: name, ca: authority.root },
      }).catch(() => undefined);
      return answer?.status;
    };
    try {
      await withDatabase(server, async ({ db }) => {
        for (const name of [kept, removed]) await storeCertificate(db, name, certificateOf(name));
      });
      await server.end("SIGTERM");
      server = await server.restart();
      await withDatabase(server, ({ db }) => db.deleteFrom("certificates").where("name", "=", removed).execute());
      await server.end("SIGTERM");
      server = await server.restart();
      await server.end("SIGKILL");
      await postgres.interrupt();
      server = await server.restart();

      expect(await handshake(kept)).toBeDefined();
      expect(await handshake(removed)).toBeUndefined();
    } finally {
      await server.remove();
      await postgres.stop();
    }
  },
);

test("while a node waits for PostgreSQL, its commands and doctor say so, and accuse neither Waypost nor ClickHouse", async () => {
  const postgres = await startPostgres();
  const environment = {
    WAYPOST_DATABASE_URL: await postgres.createDatabase(),
    WAYPOST_CLICKS_URL: "http://waypost:secret@127.0.0.1:9/waypost",
    WAYPOST_SECRET: storedSecret,
  };
  let server = await startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), programCommand("serve"), environment);
  try {
    await waitForCopyOfLinks(server);
    await server.end("SIGTERM");
    await postgres.interrupt();
    server = await server.restart();

    const command = await waypost(["user", "list"], { data: server.data, environment });
    const checked = await waypost(["doctor"], { data: server.data, environment });

    expect(command.stderr).toMatch(/answers no commands yet: it is starting, or waits for PostgreSQL/);
    expect(checked.stdout).toContain("FAIL  clicks: unknown while the database does not answer");
  } finally {
    await server.remove();
    await postgres.stop();
  }
}, 120_000);

test("a node without a copy of the links does not start while PostgreSQL is down", async () => {
  const starting = startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), programCommand("serve"), {
    WAYPOST_DATABASE_URL: "postgres://user:password@127.0.0.1:9/waypost",
  });

  await expect(starting).rejects.toThrow("no PostgreSQL answers at 127.0.0.1:9");
});
