/** Backups of real servers, restored elsewhere. */

import { Database as SqliteFile } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Encrypter } from "age-encryption";
import { expectNoCopies, withBackupFolder } from "./support/backup-folders.ts";
import { pick, seededRandom } from "./support/clicks.ts";
import { waypost } from "./support/command.ts";
import { runInProcess } from "./support/command-in-process.ts";
import { metric, waitUntilDrained } from "./support/counted-once.ts";
import { engines } from "./support/databases.ts";
import { Visitors } from "./support/load.ts";
import { sharedPostgres } from "./support/postgres.ts";
import {
  browser,
  eventually,
  ownerKey,
  programCommand,
  startOn,
  startServer,
  type TestServer,
} from "./support/server.ts";
import { storedClicks } from "./support/stored-clicks.ts";

const keys = ["a", "b", "c", "d"];
const seed = Number(process.env["SEED"] ?? 20261124);
/** Visits that were answered before a backup under load begins. */
const visitsBefore = 400;

/**
 * Encrypts with a passphrase that is cheap to derive a key from, since it takes more than a second at the usual cost,
 * with which src/backup/archive.test.ts encrypts. Decryption reads the cost from the file.
 */
async function withCheapPassphrases<Result>(use: () => Promise<Result>): Promise<Result> {
  const { setPassphrase } = Encrypter.prototype;
  const spy = spyOn(Encrypter.prototype, "setPassphrase").mockImplementation(function (this: Encrypter, passphrase) {
    this.setScryptWorkFactor(10);
    setPassphrase.call(this, passphrase);
  });
  try {
    return await use();
  } finally {
    spy.mockRestore();
  }
}

async function createLinks(server: TestServer): Promise<void> {
  for (const key of keys) {
    expect((await server.call("POST", "/tags", { body: { name: `tag ${key}` } })).status).toBeLessThan(300);
    const body = { url: `https://example.com/${key}`, key, tagNames: [`tag ${key}`], comments: "kept" };
    expect((await server.call("POST", "/links", { body })).status).toBe(200);
  }
}

/** The environment of a server on the restored data: on PostgreSQL, with another database, empty or restored. */
async function elsewhere(engine: (typeof engines)[number]): Promise<Record<string, string>> {
  if (engine === "sqlite") return {};
  const postgres = await sharedPostgres();
  return { WAYPOST_DATABASE_URL: await postgres.createDatabase() };
}

/** All answers of the API about links and clicks. */
async function answers(server: TestServer): Promise<Record<string, unknown>> {
  const groupings = [
    "count",
    "timeseries",
    "countries",
    "browsers",
    "os",
    "devices",
    "referers",
    "top_links",
    "top_urls",
    "triggers",
  ];
  const paths = [
    ...["/links?pageSize=100", "/links/count", "/tags", "/folders", "/domains", "/workspaces", "/workspaces/1/members"],
    ...groupings.map((groupBy) => `/analytics?groupBy=${groupBy}&interval=all&event=clicks`),
    "/analytics?groupBy=count&interval=all&event=clicks&bots=include",
    "/events?interval=all&event=clicks&limit=1000",
  ];
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await server.call("GET", path);
    expect({ path, status }).toEqual({ path, status: 200 });
    found[path] = body;
  }
  const exported = await fetch(`${server.url}/v1/events/export?interval=all&format=csv`, {
    headers: { Authorization: `Bearer ${ownerKey}` },
  });
  expect(exported.status).toBe(200);
  return { ...found, export: (await exported.text()).split("\n").sort() };
}

for (const engine of engines) {
  describe(engine, () => {
    test("a backup made under load, also of a redirect worker, restores each click answered before it once", async () => {
      await withBackupFolder(async (folder) => {
        const server = await startServer({ WAYPOST_WORKERS: "1" }, engine);
        const restored = mkdtempSync(join(tmpdir(), "waypost-restored-"));
        try {
          await createLinks(server);
          const random = seededRandom(seed);
          const visitors = new Visitors({ keys, connections: 4, address: "198.51.100.7", random });
          visitors.start(server.url);
          let isWriting = true;
          const writes = (async () => {
            for (let turn = 0; isWriting; turn++) {
              const body = { url: `https://example.com/new/${turn}`, key: `new-${turn}` };
              await server.call("POST", "/links", { body });
              await server.call("PATCH", `/links/ext_missing`, { body: { comments: `${turn}` } });
            }
          })();
          await eventually(
            () => Promise.resolve(visitors.answered.size),
            (answered) => answered >= visitsBefore,
          );
          const before = new Set(visitors.answered.keys());
          const file = join(folder, "backup.tar.zst");
          const made = await waypost(["backup", file], server);
          isWriting = false;
          await writes;
          await visitors.stop();
          await expectNoCopies(server);
          await server.end("SIGKILL");

          expect(made).toMatchObject({ code: 0 });
          expect(statSync(file).mode & 0o777).toBe(0o600);
          const environment = await elsewhere(engine);
          expect(await waypost(["backup", "verify", file], { data: restored })).toMatchObject({ code: 0 });
          expect(await waypost(["restore", file], { data: restored, environment })).toMatchObject({ code: 0 });
          const again = await startOn(restored, programCommand("serve"), environment);
          await waitUntilDrained(again);
          const verified = await waypost(["clicks", "verify"], { data: restored, environment });
          expect(verified).toMatchObject({ code: 0 });
          expect(await again.end("SIGTERM")).toBe(0);
          const stored = await storedClicks(again);
          const tokens = new Set(stored.map(({ token }) => token));
          expect({
            seed,
            missing: [...before].filter((token) => !tokens.has(token)),
            doubles: stored.length - tokens.size,
            unrequested: [...tokens].filter(
              (token) => !visitors.answered.has(token) && !visitors.unanswered.has(token),
            ),
          }).toEqual({ seed, missing: [], doubles: 0, unrequested: [] });
          expect(before.size).toBeGreaterThanOrEqual(visitsBefore);
        } finally {
          await server.remove();
          rmSync(restored, { recursive: true, force: true });
        }
      });
    }, 300_000);

    test("a restored server gives the same answers as the server that was backed up", async () => {
      await withBackupFolder(async (folder) => {
        const server = await startServer({}, engine);
        const restored = join(folder, "data");
        try {
          await createLinks(server);
          const random = seededRandom(seed);
          for (let visit = 0; visit < 60; visit++) {
            const headers =
              visit % 7 === 0 ? { "User-Agent": "Googlebot/2.1" } : { ...browser, Referer: "https://t.co/x" };
            await server.visit(`/${pick(random, keys)}`, { headers });
          }
          await waitUntilDrained(server);
          const file = join(folder, "backup.tar.zst");
          expect(await waypost(["backup", file], server)).toMatchObject({ code: 0 });
          const expected = await answers(server);

          const environment = await elsewhere(engine);
          expect(await waypost(["restore", file], { data: restored, environment })).toMatchObject({ code: 0 });
          const again = await startOn(restored, programCommand("serve"), environment);
          const found = await answers(again);
          await again.end("SIGTERM");

          const portless = (value: unknown) =>
            JSON.parse(JSON.stringify(value).replaceAll(/(127\.0\.0\.1|localhost)(:|%3A)\d+/g, "host"));
          expect(portless(found)).toEqual(portless(expected));
          expect(JSON.stringify(expected)).toContain("top_links");
        } finally {
          await server.remove();
        }
      });
    }, 300_000);
  });
}

describe("a command", () => {
  test("restores only into an empty folder, refuses damaged backups, and backs up a stopped server", async () => {
    await withBackupFolder(async (folder) => {
      const server = await startServer();
      try {
        await createLinks(server);
        await server.end("SIGTERM");
        const file = join(folder, "backup.tar.zst");
        const made = await runInProcess(["backup", file], server);
        const running = await server.restart();
        const doctor = await runInProcess(["doctor"], server);
        const reported = await metric(running, "waypost_last_backup_bytes");
        await running.end("SIGTERM");
        const again = await runInProcess(["backup", file], server);
        const occupied = await runInProcess(["restore", file], server);
        const restored = await runInProcess(["restore", file], { data: join(folder, "restored") });
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(file, bytes);
        const damaged = join(folder, "damaged");
        const refused = await runInProcess(["restore", file], { data: damaged });
        const found = await runInProcess(["backup", "verify", file], { data: damaged });

        expect(made).toMatchObject({ code: 0 });
        const { bytes: size } = JSON.parse(made.stdout);
        expect(reported).toEqual([size]);
        expect(doctor.stdout).toContain(`and has ${size.toLocaleString("en")} bytes`);
        expect(again.stderr).toContain("already exists");
        expect(occupied.stderr).toContain("is not empty");
        expect(JSON.parse(restored.stdout)).toMatchObject({ engine: "sqlite", users: 1, links: keys.length + 1 });
        expect(refused.stderr).toContain("is damaged or no backup");
        expect(found.stderr).toContain("is damaged or no backup");
        expect(readdirSync(damaged).filter((name) => !name.startsWith("waypost.lock"))).toEqual([]);
        expect(readdirSync(folder).sort()).toEqual(["backup.tar.zst", "damaged", "restored"]);
      } finally {
        await server.remove();
      }
    });
  }, 120_000);

  test("encrypts with a passphrase, and restores with the right one only", async () => {
    await withBackupFolder(async (folder) => {
      const server = await startServer();
      try {
        const file = join(folder, "backup.age");
        const [right, wrong] = [join(folder, "right"), join(folder, "wrong")];
        writeFileSync(right, "correct horse battery\n");
        writeFileSync(wrong, "staple\n");
        const secret = "a secret of the instance, 43 characters long";
        writeFileSync(join(server.data, "secret"), secret);
        const plain = await runInProcess(["backup", join(folder, "plain")], server);
        mkdirSync(join(folder, "other"));
        writeFileSync(join(folder, "other/secret"), "another secret, which opens nothing of this");
        const other = await runInProcess(["restore", join(folder, "plain")], { data: join(folder, "other") });
        const made = await withCheapPassphrases(() =>
          runInProcess(["backup", file, "--passphrase-file", right], server),
        );
        const data = join(folder, "restored");
        const refused = await runInProcess(["restore", file, "--passphrase-file", wrong], { data });
        const none = await runInProcess(["backup", "verify", file], { data });
        const verified = await runInProcess(["backup", "verify", file, "--passphrase-file", right], { data });
        const restored = await runInProcess(["restore", file, "--passphrase-file", right], { data });

        expect(JSON.parse(made.stdout)).toMatchObject({ encryption: "passphrase" });
        expect(JSON.parse(made.stdout)).toMatchObject({ secret: "included" });
        expect(JSON.parse(plain.stdout)).toMatchObject({ secret: "excluded" });
        expect(other.stderr).toContain("is not the secret of the backup");
        expect(readFileSync(join(data, "secret"), "utf8")).toBe(secret);
        expect(refused.stderr).toContain("The key or passphrase does not open the backup");
        expect(none.stderr).toContain("The backup is encrypted.");
        expect(verified).toMatchObject({ code: 0 });
        expect(restored).toMatchObject({ code: 0 });
        expect(new SqliteFile(join(data, "waypost.sqlite")).query('SELECT * FROM "daySalts"').all()).toEqual([]);
      } finally {
        await server.remove();
      }
    });
  }, 120_000);
});
