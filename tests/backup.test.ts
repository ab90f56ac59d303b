/** Backups of real servers, restored elsewhere. */

import { Database as SqliteFile } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupKeys, createBackupLinks, newDatabaseEnvironment, withBackupFolder } from "./support/backup-folders.ts";
import { withCheapPassphrases } from "./support/cheap-passphrases.ts";
import { pick, seededRandom } from "./support/clicks.ts";
import { waypost } from "./support/command.ts";
import { runInProcess } from "./support/command-in-process.ts";
import { metric, waitUntilDrained } from "./support/counted-once.ts";
import { engines } from "./support/databases.ts";
import { browser, ownerKey, programCommand, startOn, startServer, type TestServer } from "./support/server.ts";

const seed = Number(process.env["SEED"] ?? 20261124);

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
    test("a backup before the first start has nothing to back up, and does not keep that start from succeeding", async () => {
      await withBackupFolder(async (folder) => {
        const [data, environment] = [join(folder, "data"), await newDatabaseEnvironment(engine)];
        // This command creates the tables.
        await waypost(["clicks", "verify"], { data, environment });

        const backup = await waypost(["backup", join(folder, "first.waypost")], { data, environment });
        const server = await startOn(data, programCommand("serve"), environment);

        expect(backup).toEqual({ code: 1, stdout: "", stderr: "waypost: There is nothing to back up.\n" });
        await server.remove();
      });
    }, 60_000);

    test("a restored server gives the same answers as the server that was backed up", async () => {
      await withBackupFolder(async (folder) => {
        const server = await startServer({}, engine);
        const restored = join(folder, "data");
        try {
          await createBackupLinks(server);
          const random = seededRandom(seed);
          for (let visit = 0; visit < 60; visit++) {
            const headers =
              visit % 7 === 0 ? { "User-Agent": "Googlebot/2.1" } : { ...browser, Referer: "https://t.co/x" };
            await server.visit(`/${pick(random, backupKeys)}`, { headers });
          }
          await waitUntilDrained(server);
          const file = join(folder, "backup.tar.zst");
          expect(await waypost(["backup", file], server)).toMatchObject({ code: 0 });
          const expected = await answers(server);

          const environment = await newDatabaseEnvironment(engine);
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
        await createBackupLinks(server);
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
        const secretless = await runInProcess(["doctor"], { data: join(folder, "restored") });
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
        expect(JSON.parse(restored.stdout)).toMatchObject({ engine: "sqlite", users: 1, links: backupKeys.length + 1 });
        expect(restored.stderr).toContain(
          "does not include the file secret, which opens certificates and one-time codes. If",
        );
        expect(secretless.stdout).toContain("ok    secret: nothing is encrypted yet; the first start creates one");
        expect(refused.stderr).toContain("is damaged or no backup");
        expect(found.stderr).toContain("is damaged or no backup");
        expect(readdirSync(damaged).filter((name) => !name.startsWith("waypost.lock"))).toEqual([]);
        expect(readdirSync(folder).sort()).toEqual(["backup.tar.zst", "damaged", "restored"]);
      } finally {
        await server.remove();
      }
    });
  });

  test("asks for WAYPOST_SECRET after the restore of a service that had it, unless it is set", async () => {
    await withBackupFolder(async (folder) => {
      const environment = { WAYPOST_SECRET: "a secret of 32 characters or a little more" };
      const server = await startServer(environment);
      try {
        const file = join(folder, "backup.tar.zst");
        await runInProcess(["backup", file], server);

        const without = await runInProcess(["restore", file], { data: join(folder, "without") });
        const given = await runInProcess(["restore", file], { data: join(folder, "given"), environment });

        expect(without.stderr).toContain("WAYPOST_SECRET: set it to the same value before the first start.");
        expect([without.code, given.code]).toEqual([0, 0]);
        expect(given.stderr).not.toContain("WAYPOST_SECRET");
      } finally {
        await server.remove();
      }
    });
  });

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
  });
});
