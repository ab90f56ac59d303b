/** The behavior of the service when it cannot start, or cannot use a part of its stored data. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, waypost } from "../support/command.ts";
import { browser, type Environment, eventually, startServer, type TestServer, withServer } from "../support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const garbage = "no such file is written by Waypost ".repeat(300);

function newFolder(files: Record<string, string> = {}): string {
  const data = mkdtempSync(join(folder, "data-"));
  mkdirSync(join(data, "spool"));
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(data, name), contents);
  return data;
}

async function refusedStart(data: string, environment: Environment = {}): Promise<string> {
  return refusalOf(await waypost(["serve"], { data, environment }));
}

/** The error of a failed start: one line without a stack, with exit code 1. */
function refusalOf({ code, stdout, stderr }: CommandResult): string {
  expect({ code, stdout, lines: stderr.trimEnd().split("\n").length, stderr }).toEqual({
    code: 1,
    stdout: "",
    lines: 1,
    stderr: expect.stringMatching(/^waypost: /),
  });
  return stderr.trimEnd().slice("waypost: ".length);
}

/** Creates a link, follows it like a person, and reads its clicks. */
async function followOnce(server: TestServer): Promise<void> {
  const made = await server.call("POST", "/links", { body: { url: "https://example.com/there", key: "hello" } });
  const visit = await server.visit("/hello", { headers: browser });
  expect([made.status, visit.status]).toEqual([200, 302]);
}

const clickCount = async (server: TestServer) =>
  (await server.call("GET", "/analytics/clicks")).body as { clicks?: number; error?: { code: string } };

describe("a start is refused in one line", () => {
  let running: TestServer;
  beforeAll(async () => {
    running = await startServer();
  });
  afterAll(() => running.remove());

  test("for a port in use", async () => {
    const { port } = new URL(running.url);

    expect(await refusedStart(newFolder(), { WAYPOST_PORT: port })).toBe(
      `WAYPOST_PORT: port ${port} on 127.0.0.1 is taken by another program. Stop that program, or set another: WAYPOST_PORT=3001`,
    );
  });

  test("for an address of another machine", async () => {
    expect(await refusedStart(newFolder(), { WAYPOST_HOST: "192.0.2.1" })).toContain(
      "WAYPOST_HOST: 192.0.2.1 is not an address of this machine",
    );
  });

  test("for a data folder in use, naming the process", async () => {
    const { data, process: child } = running;

    expect(await refusedStart(data)).toBe(
      `The data folder ${data} is in use by another Waypost (process ${child.pid}). Stop it, or set WAYPOST_DATA to another folder.`,
    );
  });

  test("for an invalid option", async () => {
    expect(await refusedStart(newFolder(), { WAYPOST_SPOOL_SYNC_MS: "often" })).toBe(
      'WAYPOST_SPOOL_SYNC_MS is "often": it must be a whole number from 1 to 60000. Example: WAYPOST_SPOOL_SYNC_MS=50',
    );
  });

  test("for a data folder that is a file, or inside a file", async () => {
    const file = join(newFolder({ file: "" }), "file");

    expect(await refusedStart(file)).toContain(`WAYPOST_DATA: the folder ${file} cannot be created or entered`);
    expect(await refusedStart(join(file, "data"))).toContain("cannot be created or entered");
  });

  // Root can write everywhere.
  if (process.getuid?.() !== 0) {
    test("for a data folder that cannot be read or written", async () => {
      const data = newFolder();
      for (const mode of [0o000, 0o500]) {
        chmodSync(data, mode);
        const line = await refusedStart(data);
        chmodSync(data, 0o700);

        expect(line).toContain(`WAYPOST_DATA: the folder ${data} cannot be written to`);
      }
    });
  }

  test("for an invalid SQLite file", async () => {
    const data = newFolder({ "waypost.sqlite": garbage });

    expect(await refusedStart(data)).toBe(
      `${data}/waypost.sqlite is damaged or not a SQLite file (file is not a database). Restore a backup, or move the whole folder away to start empty.`,
    );
  });

  test("for an unreadable country database", async () => {
    const data = newFolder({ "places.mmdb": garbage });

    expect(await refusedStart(data, { WAYPOST_GEO_DATABASE: join(data, "places.mmdb") })).toMatch(
      /^WAYPOST_GEO_DATABASE: .* Leave it out to use the countries that ship\.$/,
    );
  });
});

describe("with PostgreSQL, a start is refused in one line", () => {
  test("when no server answers, without showing the password", async () => {
    const url = "postgres://user:secret-word@127.0.0.1:1/waypost";

    expect(await refusedStart(newFolder(), { WAYPOST_DATABASE_URL: url })).toBe(
      "WAYPOST_DATABASE_URL: no PostgreSQL answers at 127.0.0.1:1 (ECONNREFUSED). Start it, or leave the option out to use SQLite.",
    );
  });

  test("when its host is unknown", async () => {
    const url = "postgres://user:secret-word@database.invalid/waypost";

    expect(await refusedStart(newFolder(), { WAYPOST_DATABASE_URL: url })).toContain(
      "no PostgreSQL answers at database.invalid",
    );
  });

  test("also for a command without a server", async () => {
    const environment = { WAYPOST_DATABASE_URL: "postgres://user:secret-word@127.0.0.1:1/waypost" };

    expect(refusalOf(await waypost(["key", "list"], { data: newFolder(), environment }))).toContain(
      "no PostgreSQL answers at 127.0.0.1:1",
    );
  });
});

describe("an invalid click store file", () => {
  test("does not stop redirects, is reported to the operator, and loses no click after it is moved away", async () => {
    const data = newFolder();
    // Clicks without a database would be refused.
    await withServer({ WAYPOST_DATA: data }, async (server) => {
      expect(await server.end("SIGTERM")).toBe(0);
    });
    writeFileSync(join(data, "clicks.duckdb"), garbage);
    await withServer({ WAYPOST_DATA: data }, async (server) => {
      await followOnce(server);
      const report = await server.call("GET", "/analytics/clicks");
      const doctor = await waypost(["doctor"], { data });

      expect(report).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
      expect(server.output()).toContain(
        "The click store cannot be opened; clicks wait in the spool while it has room.",
      );
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toContain(`FAIL  clicks: ${data}/clicks.duckdb cannot be used`);

      rmSync(join(data, "clicks.duckdb"));
      expect(
        await eventually(
          () => clickCount(server),
          ({ clicks }) => clicks === 1,
        ),
      ).toMatchObject({ clicks: 1 });
      expect(await server.end("SIGTERM")).toBe(0);
    });
  });
});

describe("a data folder", () => {
  test.each([
    ["with spaces, umlauts and signs", "Meine Daten & Größen #1 100% 'x'"],
    ["with a path longer than the limit of sockets", "x".repeat(120)],
  ])("%s works for the server and for commands with a running server", async (_, name) => {
    const data = join(newFolder(), name);
    await withServer({ WAYPOST_DATA: data }, async (server) => {
      await followOnce(server);
      const counted = await eventually(
        () => clickCount(server),
        ({ clicks }) => clicks === 1,
      );
      const doctor = await waypost(["doctor", "--json"], { data });
      const exit = await server.end("SIGTERM");

      expect(counted).toMatchObject({ clicks: 1 });
      expect(doctor.stdout).toContain(`running on this data folder, process ${server.process.pid}`);
      expect(exit).toBe(0);
      expect(existsSync(join(data, "clicks.duckdb"))).toBe(true);
    });
  });
});

test("the log names an unknown option", async () => {
  await withServer({ WAYPOST_PROT: "3000" }, async (server) => {
    expect(server.output()).toContain("WAYPOST_PROT is not an option of this version and has no effect.");
  });
});
