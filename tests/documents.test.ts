/** Checks the documents: runs their commands, and compares their tables with those of the code. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { problemDescriptions } from "../src/api/http/problems.ts";
import { problemStatus } from "../src/base/problem.ts";
import { optionNames, options } from "../src/config.ts";
import { openMetrics } from "../src/metrics.ts";
import { type CommandResult, repository } from "./support/command.ts";
import { eventually, serverEnvironment } from "./support/server.ts";
import { shell } from "./support/shell.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");

/** The paths of all documents, relative to the repository. */
const documents = ["", "docs", "docs/decisions", "tests/fixtures"].flatMap((folder) =>
  readdirSync(join(repository, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);

/** The table rows of a document that begin with a name in backticks, as cells. */
function rows(document: string, name: RegExp): string[][] {
  return read(document)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first = ""]) => name.test(first));
}

/** The blocks of a document that are marked "bash", in order. */
const bashBlocks = (path: string) =>
  [...read(path).matchAll(/^```bash\n(.*?)^```$/gms)].map(([, script = ""]) => script);
const blocks = bashBlocks("README.md");

describe("README.md's commands, in order,", () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-readme-"));
  let server: ChildProcess;
  let output = "";
  let port = "";
  let key = "";
  // The system chooses the port, because another server could take a port that was chosen earlier.
  const environment = serverEnvironment(data, {
    WAYPOST_PORT: "0",
    WAYPOST_BOOTSTRAP_EMAIL: "",
    WAYPOST_BOOTSTRAP_API_KEY: "",
    WAYPOST_BOOTSTRAP_PASSWORD: "",
  });

  beforeAll(async () => {
    const [, start] = /^npm ci && (npm start) .*\nnpm ci && npm test .*\n$/.exec(blocks[0] ?? "") ?? [];
    // Does not run npm ci: the packages are already installed, and .ci/run installs them in a clean checkout.
    expect(start).toBe("npm start");
    // In its own process group, so that the end of the test stops npm, its shell and the server.
    server = spawn("sh", ["-c", start ?? ""], { cwd: repository, env: environment, detached: true });
    server.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    // The key is printed after the port, perhaps later.
    const printed = () => Promise.resolve(/\(port (\d+)\)[\s\S]*shown only once\): {2}(\S+)\n/.exec(output));
    [, port = "", key = ""] = (await eventually(printed, (match) => match !== null)) ?? [];
  });

  afterAll(async () => {
    if (server.pid !== undefined && server.exitCode === null) {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      process.kill(-server.pid, "SIGTERM");
      await ended;
    }
    rmSync(data, { recursive: true, force: true });
  });

  /** Runs the block that contains these words, with the port, data folder and key of this test. */
  async function run(text: string): Promise<CommandResult> {
    const block = [...blocks, ...bashBlocks("docs/operations.md")].find((candidate) => candidate.includes(text));
    if (block === undefined) throw new Error(`No document has a command with ${text}`);
    const { code, ...rest } = await shell(block.replaceAll("localhost:3000", `localhost:${port}`), {
      ...environment,
      WAYPOST_PORT: port,
      WAYPOST_API_KEY: key,
    });
    expect({ code, ...rest }).toMatchObject({ code: 0 });
    return { code, ...rest };
  }

  test("start the service, and store the printed key in a variable", () => {
    expect(output).toContain(`Waypost is ready at http://localhost:${port} (port ${port}).`);
    expect(blocks[1]).toMatch(/^export WAYPOST_API_KEY=wp_\S+\n$/);
  });

  test("create a link, follow it and show the click", async () => {
    const made = await run("-X POST");
    expect(JSON.parse(made.stdout)).toMatchObject({
      shortLink: `http://localhost:${port}/hello`,
      url: "https://example.com",
    });
    const followed = await run("/hello \\\n");
    expect(followed.stdout).toMatch(/^HTTP\/1\.1 302\b/);
    expect(followed.stdout).toMatch(/^location: https:\/\/example\.com\/\r$/im);
    const clicks = await eventually(
      () => run("analytics/clicks"),
      ({ stdout }) => JSON.parse(stdout).clicks === 1,
    );

    expect(JSON.parse(clicks.stdout)).toMatchObject({ data: [{ browser: "Firefox", clicks: 1 }] });
  });

  test("and those of docs/operations.md create users and keys, and print the options", async () => {
    const { stdout } = await run("user create");

    const [user = "", key = "", ...listed] = stdout.split("\n");
    expect(JSON.parse(user)).toMatchObject({ apiKey: expect.any(String) });
    expect(JSON.parse(key)).toMatchObject({ id: expect.stringMatching(/^key_/) });
    expect(listed[0]).toMatch(/^ID +KEY +NAME/);
    expect(listed[1]).toContain("First key");
    expect(stdout).toContain(`WAYPOST_PORT = ${port}  [environment]`);
  });

  test("are all run by these tests", () => {
    expect(blocks).toHaveLength(5);
  });
});

test("docs/configuration.md lists exactly the options, with their defaults, meanings and examples", () => {
  const listed = rows("docs/configuration.md", /^`WAYPOST_/);

  const expected = optionNames.map((name) => {
    const option: { help: string; example: string; fallback?: string } = options[name];
    return [
      `\`${name}\``,
      option.fallback ? `\`${option.fallback}\`` : "not set",
      option.help,
      `\`${option.example}\``,
    ];
  });
  expect(listed).toEqual(expected);
});

test("docs/api.md lists exactly the problem codes, with their statuses and meanings", () => {
  const listed = rows("docs/api.md", /^`[a-z_]+`$/).filter(([, second = ""]) => /^\d+$/.test(second));

  const codes = Object.entries(problemStatus);
  expect(listed.map(([code, status]) => [code, Number(status)])).toEqual(
    codes.map(([code, status]) => [`\`${code}\``, status]),
  );
  expect(listed.map(([, , meaning]) => meaning)).toEqual(Object.values(problemDescriptions));
});

test("docs/architecture.md names every entry of src, and no other", () => {
  const listed = rows("docs/architecture.md", /^`[a-z0-9-]+(\/|\.ts)`$/).map(([entry = ""]) =>
    entry.replaceAll("`", ""),
  );

  const entries = readdirSync(join(repository, "src"), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith(".test.ts"))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  expect(listed.sort()).toEqual(entries.sort());
});

test("docs/operations.md lists exactly Waypost's metrics", async () => {
  const listed = rows("docs/operations.md", /^`waypost_/).map(([metric = ""]) => metric.replaceAll(/`|\{.*\}/g, ""));

  const metrics = openMetrics({
    own: () => ({
      spools: { bytes: 0, lagBytes: {} },
      redirects: {},
      writtenClicks: 0,
      droppedClicks: 0,
      cutTexts: 0,
      restarts: {},
      waitingQueries: 0,
      hashing: {},
    }),
    workers: () => Promise.resolve([]),
    store: () => Promise.resolve(undefined),
  });
  const text = await metrics.text();
  const own = [...text.matchAll(/^# TYPE (\w+) /gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !/^waypost_(process|nodejs)_/.test(name));
  expect(listed.filter((name) => !name.includes("…")).sort()).toEqual(own.sort());
});

describe("links of documents", () => {
  test.each(documents)("%s links to files and headings that exist", (document) => {
    const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);

    const broken = links
      .filter((link) => !/^(https?|mailto):/.test(link))
      .filter((link) => !leadsSomewhere(document, link));

    expect(broken).toEqual([]);
  });
});

function leadsSomewhere(document: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? document : join(dirname(document), path);
  if (!existsSync(join(repository, target))) return false;
  return heading === undefined || headings(target).includes(heading);
}

/** Anchors like GitHub's: lower case, without punctuation, with hyphens for spaces. */
function headings(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("docs/security.md", () => {
  const cells = read("docs/security.md")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").at(-2) ?? "");

  test("names only existing test files", () => {
    const files = cells.flatMap((cell) =>
      Array.from(cell.matchAll(/`((?:src|tests)\/[^`]+)`/g), ([, file = ""]) => file),
    );

    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  });

  test("names only existing tests of these files", () => {
    // A name of a table of cases begins with the case: "EIO, …".
    const named = cells.flatMap((cell) =>
      Array.from(cell.matchAll(/`(tests\/[^`]+)`: "(?:[\w\s-]+, )?([^"…]+)"/g), ([, file = "", name = ""]) => ({
        file,
        name,
      })),
    );

    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ file, name }) => !read(file).includes(name))).toEqual([]);
  });
});
