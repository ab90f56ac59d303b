import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { version } from "../package.json";
import { optionNames } from "../src/config.ts";
import { type CommandResult, waypost } from "./support/command.ts";
import { runInProcess } from "./support/command-in-process.ts";
import { waitUntilDrained } from "./support/counted-once.ts";
import { engines } from "./support/databases.ts";
import { startMailServer } from "./support/mail-server.ts";
import { browser, ownerKey, startServer, type TestServer } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newKeyText = /^wp_[0-9A-Za-z]{38}$/;

/** The output lines of a successful command. */
function answers({ code, stdout, stderr }: CommandResult): Record<string, unknown>[] {
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The rows of a command that prints a list with --json. */
function rows(result: CommandResult): Record<string, unknown>[] {
  return z.array(z.record(z.string(), z.unknown())).parse(answer(result));
}

/** The output of user create, whose standard error explains how the user signs in. */
function madeUser({ stderr, ...result }: CommandResult): Record<string, unknown> {
  expect(stderr).toMatch(
    /^To sign in to the dashboard at http:\/\/localhost:\d+\/app, the user needs a password: waypost user password --email \S+@example\.com\n$/i,
  );
  return answer({ ...result, stderr: "" });
}

function answer(result: CommandResult): Record<string, unknown> {
  const [line, ...more] = answers(result);
  expect(more).toEqual([]);
  return line ?? {};
}

/** The error of a refused command: one line on standard error. */
function refusal({ code, stdout, stderr }: CommandResult): string {
  expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, stdout: "", lines: 1 });
  return stderr.trimEnd();
}

describe("help", () => {
  const commands = [
    "serve",
    "config",
    "doctor",
    "user",
    "user create",
    "user password",
    "key",
    "key create",
    "key list",
    "clicks",
    "clicks verify",
    "benchmark",
    "benchmark generate",
  ];

  test.each(["", ...commands, "key revoke"])(
    "waypost %s --help describes the command and its options",
    async (args) => {
      const { code, stdout, stderr } = await runInProcess([...args.split(" ").filter(Boolean), "--help"], {
        data: folder,
      });

      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toStartWith(`Usage: waypost ${args}`.trimEnd());
      expect(stdout).toContain("--help");
    },
  );

  test("names every command", async () => {
    const { stdout } = await runInProcess(["--help"], { data: folder });

    expect(
      [...stdout.matchAll(/^ {2}(serve|config|doctor|user|key|clicks|benchmark)\b/gm)].map(([, name]) => name),
    ).toEqual(["serve", "config", "doctor", "user", "key", "clicks", "benchmark"]);
  });

  test("--version prints the version", async () => {
    const { stdout } = await waypost(["--version"], { data: folder });

    expect(stdout).toBe(`${version}\n`);
  });

  test.each([
    ["kye", "waypost: unknown command 'kye'; did you mean key? --help lists the options."],
    ["nothing-like-it", "waypost: unknown command 'nothing-like-it'. --help lists the options."],
    ["key lsit", "waypost: unknown command 'lsit'; did you mean list? --help lists the options."],
    ["key list --emial a", "waypost: unknown option '--emial'; did you mean --email? --help lists the options."],
    ["user verify", "waypost: required option '--email <email>' not specified. --help lists the options."],
  ])("an invalid command line is refused with one line and exit code 1: %s", async (args, message) => {
    expect(refusal(await runInProcess(args.split(" "), { data: folder }))).toBe(message);
  });
});

describe("config", () => {
  const environment = {
    WAYPOST_PORT: "4000",
    WAYPOST_METRICS_TOKEN: "secret-token-of-metrics",
    WAYPOST_BOOTSTRAP_PASSWORD: "secret-word-of-owner",
    WAYPOST_DATABASE_URL: "postgres://user:secret-word@db.example.com/waypost",
  };
  const secrets = ["secret-token", "secret-word", ownerKey];

  test("--json lists every option with its value and source, but no secret", async () => {
    const path = join(folder, "token");
    writeFileSync(path, "secret-token-in-a-file\n");
    const { stdout, code } = await runInProcess(["config", "--json"], {
      data: folder,
      environment: { ...environment, WAYPOST_METRICS_TOKEN: "", WAYPOST_METRICS_TOKEN_FILE: path },
    });

    const rows: { name: string; value: string | null; source: string }[] = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(rows.map(({ name }) => name)).toEqual(optionNames);
    const row = (name: string) => rows.find((candidate) => candidate.name === name);
    expect(row("WAYPOST_PORT")).toMatchObject({ value: "4000", source: "environment" });
    expect(row("WAYPOST_URL")).toMatchObject({ value: "http://localhost:4000", source: "default" });
    expect(row("WAYPOST_METRICS_TOKEN")).toMatchObject({ value: "********", source: "file" });
    expect(row("WAYPOST_GEO_DATABASE")).toMatchObject({ value: null, source: "unset" });
    expect(secrets.filter((secret) => stdout.includes(secret))).toEqual([]);
  });

  test("prints the same as text", async () => {
    const { stdout, code } = await runInProcess(["config"], { data: folder, environment });

    expect(code).toBe(0);
    expect(stdout).toContain("WAYPOST_PORT = 4000  [environment]\n    Port to listen on");
    expect(stdout).toContain("WAYPOST_METRICS_TOKEN = ********  [environment]");
    expect(stdout).toContain("WAYPOST_GEO_DATABASE = (not set)  [unset]");
    expect(secrets.filter((secret) => stdout.includes(secret))).toEqual([]);
  });

  test("rejects an invalid option with one line", async () => {
    expect(refusal(await runInProcess(["config"], { data: folder, environment: { WAYPOST_PORT: "http" } }))).toBe(
      'waypost: WAYPOST_PORT is "http": it must be a whole number from 0 to 65535. Example: WAYPOST_PORT=3000',
    );
  });
});

describe("doctor", () => {
  type CheckResult = { check: string; ok: boolean; detail: string };

  /** The results of all checks except DNS, which depends on the machine. */
  async function examine(data: string, environment: Record<string, string> = {}): Promise<CheckResult[]> {
    const { stdout, stderr } = await runInProcess(["doctor", "--json"], { data, environment });
    expect(stderr).toBe("");
    return (JSON.parse(stdout) as CheckResult[]).filter(({ check }) => check !== "DNS");
  }

  test("with a running server checks that server's options", async () => {
    const mail = await startMailServer();
    const url = "https://links.example.com";
    const server = await startServer({ WAYPOST_SMTP_URL: mail.url, WAYPOST_URL: url });
    try {
      const { stdout } = await runInProcess(["doctor"], { data: server.data });
      const made = await runInProcess(["user", "create", "--email", "ann@example.com"], { data: server.data });

      expect(stdout).toContain(`ok    mail: ${new URL(mail.url).host} answers`);
      expect(stdout).toContain("ok    certificates: none has been ordered");
      expect(made.stderr).toContain(`the dashboard at ${url}/app`);
    } finally {
      await server.remove();
      await mail.close();
    }
  });

  test("passes before the first start, and creates nothing", async () => {
    const data = join(folder, "absent");
    const findings = await examine(data);

    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      "options",
      "data folder",
      "permissions",
      "server",
      "database",
      "spool",
      "lost clicks",
      "clicks",
      "country database",
      "mail",
      "secret",
    ]);
    expect(await Bun.file(data).exists()).toBe(false);
  });

  test.each([
    ["no", "FOLDER holds clicks or links, but no waypost.sqlite"],
    ["an empty", "FOLDER/waypost.sqlite is empty, but FOLDER holds clicks of another database"],
  ])(
    "fails for clicks beside %s waypost.sqlite, as every start does, and no command creates another one",
    async (which, reason) => {
      const data = join(folder, `${which} database`);
      const sqlite = join(data, "waypost.sqlite");
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(join(data, "clicks.duckdb"), "", { mode: 0o600 });
      if (which === "an empty") writeFileSync(sqlite, "", { mode: 0o600 });
      const detail = `WAYPOST_DATA: ${reason.replaceAll("FOLDER", data)}. If the data is in PostgreSQL, set WAYPOST_DATABASE_URL; otherwise restore a backup. To start empty, use an empty folder.`;

      const start = await waypost(["serve"], { data });
      const made = await waypost(["user", "create", "--email", "ann@example.com"], { data });
      const findings = await examine(data);

      expect(start).toEqual({ code: 1, stdout: "", stderr: `waypost: ${detail}\n` });
      expect(made).toEqual(start);
      expect(findings).toContainEqual({ check: "database", ok: false, detail });
      expect(existsSync(sqlite)).toBe(which === "an empty");
    },
  );

  test("fails for an interrupted restore, as the start does", async () => {
    const data = join(folder, "interrupted");
    mkdirSync(join(data, "waypost.restore"), { recursive: true, mode: 0o700 });

    const start = await waypost(["serve"], { data });
    const wrong = (await examine(data)).filter(({ ok }) => !ok);

    expect(start.stderr).toStartWith(`waypost: WAYPOST_DATA: a restore into ${data} was interrupted. Empty the folder`);
    expect(wrong).toEqual([{ check: "data folder", ok: false, detail: start.stderr.slice("waypost: ".length).trim() }]);
  });

  test("fails for ports and addresses on which the start cannot listen", async () => {
    const data = join(folder, "ports");
    using other = Bun.listen({ port: 0, hostname: "127.0.0.1", exclusive: true, socket: { data() {} } });
    const server = async (environment: Record<string, string>) =>
      (await examine(data, environment)).find(({ check }) => check === "server");

    const free = await server({});
    const taken = await server({ WAYPOST_PORT: String(other.port) });
    const takenForTls = await server({ WAYPOST_HTTPS_PORT: String(other.port) });
    const absent = await server({ WAYPOST_HOST: "192.0.2.1" });

    expect(free).toEqual({ check: "server", ok: true, detail: "not running on this data folder" });
    expect(taken).toMatchObject({ ok: false, detail: expect.stringContaining(`WAYPOST_PORT: port ${other.port} on`) });
    expect(takenForTls).toMatchObject({ ok: false, detail: expect.stringContaining("WAYPOST_HTTPS_PORT: port") });
    expect(absent).toMatchObject({
      ok: false,
      detail: expect.stringContaining("WAYPOST_HOST: 192.0.2.1 is not an address of this machine"),
    });
  });

  test("names an invalid option, with exit code 1", async () => {
    const { code, stdout } = await waypost(["doctor"], { data: folder, environment: { WAYPOST_PORT: "x" } });

    expect(code).toBe(1);
    expect(stdout).toStartWith('FAIL  options: WAYPOST_PORT is "x"');
  });

  test("names an invalid spool segment, database and click store file", async () => {
    const data = join(folder, "garbage");
    mkdirSync(join(data, "spool"), { recursive: true, mode: 0o700 });
    for (const name of ["waypost.sqlite", "clicks.duckdb", "spool/0000000000000000.spool"]) {
      writeFileSync(join(data, name), "no such file is written by Waypost ".repeat(200), { mode: 0o600 });
    }

    const wrong = (await examine(data)).filter(({ ok }) => !ok);

    expect(wrong.map(({ check }) => check)).toEqual(["database", "spool", "clicks"]);
    expect(wrong.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("waypost.sqlite is damaged or not a SQLite file"),
      expect.stringContaining("0000000000000000.spool has a damaged header"),
      expect.stringContaining("clicks.duckdb cannot be used"),
    ]);
    expect(wrong.every(({ detail }) => !detail.includes("\n"))).toBe(true);
  });

  test("does not report a newest segment with an incomplete header, which the next start removes", async () => {
    const data = join(folder, "unfinished");
    mkdirSync(join(data, "spool"), { recursive: true, mode: 0o700 });
    writeFileSync(join(data, "spool/0000000000000000.spool"), "WPSPOOL\n", { mode: 0o600 });

    const finding = (await examine(data)).find(({ check }) => check === "spool");

    expect(finding).toMatchObject({ ok: true, detail: expect.stringContaining("0 clicks held") });
  });

  for (const engine of engines) {
    test(`checks a running server and a stopped one, on ${engine}`, async () => {
      const server = await startServer({}, engine);
      const detail = (findings: CheckResult[], check: string) => findings.find((one) => one.check === check)?.detail;
      try {
        const beside = await examine(server.data, server.environment);
        await server.call("POST", "/links", { body: { url: "https://example.com/", key: "clicked" } });
        await server.visit("/clicked", { headers: browser });
        await waitUntilDrained(server);
        await server.end("SIGTERM");
        const without = await examine(server.data, server.environment);

        expect([...beside, ...without].filter(({ ok }) => !ok)).toEqual([]);
        expect(detail(beside, "server")).toBe(`running on this data folder, process ${server.process.pid}`);
        expect(detail(without, "server")).toBe("not running on this data folder");
        expect(detail(beside, "clicks")).toBe("will be created with the first click");
        expect(detail(beside, "spool")).toStartWith("1 segment, 0 clicks held;");
        expect(detail(without, "clicks")).toBe("the store answers");
        expect(detail(beside, "database")).toBe(engine === "sqlite" ? "SQLite answers" : "PostgreSQL answers");
      } finally {
        await server.remove();
      }
    });
  }
});

for (const engine of engines) {
  for (const situation of ["beside a running server", "without one"] as const) {
    describe(`${situation}, on ${engine},`, () => {
      let server: TestServer;
      beforeAll(async () => {
        server = await startServer({}, engine);
        if (situation === "without one") await server.end("SIGTERM");
      });
      afterAll(() => server.remove());

      const options = () => ({ data: server.data, environment: server.environment });
      const run = (args: string) => runInProcess(args.split(" "), options());
      const runProcess = (args: string, input = "") => waypost(args.split(" "), { ...options(), input });

      /** The status of the cheapest request with a key; starts a server if none is running. */
      async function statusWith(key: unknown): Promise<number> {
        const running = situation === "without one" ? await server.restart() : server;
        const { status } = await running.call("GET", "/workspaces", { key: String(key) });
        if (situation === "without one") await running.end("SIGTERM");
        return status;
      }

      async function workspacesOf(key: unknown): Promise<unknown> {
        const running = situation === "without one" ? await server.restart() : server;
        const { body } = await running.call("GET", "/workspaces", { key: String(key) });
        if (situation === "without one") await running.end("SIGTERM");
        return body;
      }

      test("user create creates a user with a workspace of that name and a working key", async () => {
        const made = madeUser(await runProcess("user create --email Ann@Example.com"));

        expect(made).toEqual({
          userId: expect.stringMatching(/^user_/),
          workspaceId: expect.any(Number),
          apiKey: expect.stringMatching(newKeyText),
        });
        expect(await workspacesOf(made.apiKey)).toEqual({
          workspaces: [expect.objectContaining({ id: made.workspaceId, name: "ann", role: "owner" })],
        });
      });

      test("user verify rejects a verified address, such as one of user create", async () => {
        const email = `${crypto.randomUUID()}@example.com`;
        await run(`user create --email ${email}`);

        const again = await run(`user verify --email ${email}`);

        expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is already verified")]);
      });

      test("user create names the workspace, or joins one with a role", async () => {
        const named = madeUser(await run("user create --email bob@example.com --name Bob --workspace Garage"));
        const joined = madeUser(
          await run(`user create --email eve@example.com --join ${named.workspaceId} --role viewer`),
        );

        expect(await workspacesOf(joined.apiKey)).toEqual({
          workspaces: [expect.objectContaining({ id: named.workspaceId, name: "Garage", role: "viewer" })],
        });
      });

      test("user create rejects an e-mail address in use with one line, and creates nothing", async () => {
        madeUser(await run("user create --email dan@example.com"));
        const before = rows(await run("key list --json"));

        expect(refusal(await run("user create --email DAN@example.com"))).toBe(
          "waypost: email: dan@example.com already belongs to another user.",
        );
        expect(rows(await run("key list --json"))).toEqual(before);
      });

      test("user password reads the password from standard input, and never prints it", async () => {
        const result = await runProcess("user password --email owner@example.com", "another horse battery\n");

        expect(answer(result)).toEqual({ email: "owner@example.com" });
        expect(refusal(await runProcess("user password --email owner@example.com", "short\n"))).toBe(
          "waypost: password: must have 10 to 1000 characters.",
        );
        expect(refusal(await runProcess("user password --email no@example.com", "another horse battery"))).toBe(
          "waypost: No user has the e-mail address no@example.com.",
        );
      });

      test("a key works at once after key create, and no longer after key revoke", async () => {
        const made = answer(
          await run("key create --email owner@example.com --name Site --scopes workspaces.read --expires 2099-01-31"),
        );
        const listed = rows(await run("key list --email owner@example.com --json"));
        const statusBefore = await statusWith(made.apiKey);
        const revoked = answer(await run(`key revoke ${made.id}`));

        expect(made.apiKey).toMatch(newKeyText);
        expect(listed.find(({ id }) => id === made.id)).toEqual({
          id: made.id,
          userId: made.userId,
          workspaceId: made.workspaceId,
          allWorkspaces: true,
          email: "owner@example.com",
          name: "Site",
          prefix: String(made.apiKey).slice(0, 8),
          scopes: ["workspaces.read"],
          expiresAt: "2099-02-01T00:00:00.000Z",
          lastUsedAt: null,
          createdAt: expect.any(String),
        });
        expect(JSON.stringify(listed)).not.toContain(String(made.apiKey));
        expect(statusBefore).toBe(200);
        expect(revoked).toEqual({ id: made.id });
        expect(await statusWith(made.apiKey)).toBe(401);
        expect(refusal(await run(`key revoke ${made.id}`))).toBe(
          "waypost: No API key was found here with that identifier.",
        );
      });

      test("concurrent commands all succeed", async () => {
        const made = await Promise.all(
          [1, 2, 3].map((number) => runProcess(`user create --email at-once-${number}@example.com`)),
        );

        const ids = made.map((result) => madeUser(result).userId);
        expect(new Set(ids).size).toBe(3);
      });
    });
  }
}

test("a first start after user create reports that a user already exists", async () => {
  const data = join(folder, "made-before");
  expect(await runInProcess(["user", "create", "--email", "ann@example.com"], { data })).toMatchObject({ code: 0 });

  const server = await startServer({ WAYPOST_DATA: data, WAYPOST_BOOTSTRAP_EMAIL: "ann@example.com" });
  try {
    expect(server.output()).toContain("A user already exists, so no user was created.");
  } finally {
    await server.remove();
  }
});

describe("invalid arguments are rejected with one line, and create nothing:", () => {
  const cases: [command: string, reason: string][] = [
    ["user create --email nobody", '"nobody" is not an e-mail address'],
    ["user create --email f@example.com --join 999", "There is no workspace 999."],
    ["user create --email f@example.com --join 1 --role boss", "role: "],
    ["user create --email f@example.com --role viewer", "--role requires --join"],
    ["user create --email f@example.com --join 1 --workspace A", "Use either --workspace"],
    ["key create --email no@example.com", "There is no user no@example.com."],
    ["key create --email no@example.com --workspace 999", "There is no user no@example.com."],
    ["host block com --reason Spam", "com has no dot, so the block would cover every host below it."],
    ["host block https://evil.example/path --reason Spam", "A block covers a whole host"],
    ["host block evil.example:8080 --reason Spam", "to block it, enter evil.example."],
    ["key create --email f@example.com --expires 2001-01-31", "expiresAt: must be in the future."],
    ["key create --email f@example.com --expires 31.01.2099", "expiresAt: must be a date such as 2027-01-31 or "],
    ["key create --email no@example.com --scopes links.eat", "scopes.0: must be one of workspaces.read, "],
  ];

  test.each(cases)("%s", async (command, reason) => {
    const data = join(folder, "refusing");

    expect(refusal(await runInProcess(command.split(" "), { data }))).toContain(reason);
    expect(rows(await runInProcess(["key", "list", "--json"], { data }))).toEqual([]);
  });
});

describe("before the first start", () => {
  test("user create creates the first user, and the start creates no other", async () => {
    const data = mkdtempSync(join(folder, "first-"));
    const environment = { WAYPOST_BOOTSTRAP_EMAIL: "", WAYPOST_BOOTSTRAP_API_KEY: "", WAYPOST_BOOTSTRAP_PASSWORD: "" };
    const made = madeUser(await runInProcess(["user", "create", "--email", "ann@example.com"], { data, environment }));

    const server = await startServer({ ...environment, WAYPOST_DATA: data });
    try {
      const { body } = await server.call("GET", "/workspaces", { key: String(made.apiKey) });
      const keys = rows(await runInProcess(["key", "list", "--json"], { data, environment }));

      expect(body).toEqual({ workspaces: [expect.objectContaining({ id: 1, name: "ann" })] });
      expect(keys).toHaveLength(1);
      expect(server.output()).not.toContain("API key");
    } finally {
      await server.remove();
    }
  });
});

describe("a data folder that cannot be used", () => {
  test("rejects every command with one line", async () => {
    const data = join(folder, "a-file");
    writeFileSync(data, "");

    for (const args of [["serve"], ["key", "list"], ["user", "create", "--email", "ann@example.com"]]) {
      expect(refusal(await waypost(args, { data }))).toContain(`WAYPOST_DATA: the folder ${data} cannot be created`);
    }
  });
});
