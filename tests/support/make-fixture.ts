/**
 * Makes the data folders in tests/fixtures/releases: `npm run fixture` writes one for each relational engine, as the
 * checked-out release leaves it, with unread clicks in the spool, and a backup of the one on SQLite.
 * tests/releases.test.ts opens and restores them with the current program. Refuses to overwrite data folders of the same version; `npm run fixture -- --force` replaces them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { version } from "../../package.json";
import type { Engine } from "../../src/database/engine.ts";
import { repository, waypost } from "./command.ts";
import { browser, eventually, startServer, type TestService } from "./server.ts";

/** A data folder: its files in base64 by path, and on PostgreSQL the rows of its tables. */
export type ReleaseFixture = {
  release: string;
  files: Record<string, string>;
  tables: Record<string, unknown[]>;
  /** The values that the API must return for it. */
  expected: { clicks: Record<string, number>; emails: string[] };
};

const folder = join(repository, "tests/fixtures/releases");
const storedVisits = 20;
const waitingVisits = 7;
const keys = ["plain", "rules", "secret"] as const;

const fixtureEngines = ["sqlite", "postgres"] as const;

if (import.meta.main) await runCommand();

async function runCommand(): Promise<void> {
  const { values } = parseArgs({ options: { force: { type: "boolean", default: false } } });
  const refusal = values.force ? undefined : whyNotMade(folder, version);
  if (refusal === undefined) return await makeAll();
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}

/** Returns why no fixtures of this release may be written to the folder: it has some; undefined if it has none. */
export function whyNotMade(into: string, release: string): string | undefined {
  const names = [...fixtureEngines.map((engine) => fileName(release, engine)), backupName(release)];
  const kept = names.filter((name) => existsSync(join(into, name)));
  if (kept.length === 0) return undefined;
  return (
    `${into} has fixtures of version ${release} already: ${kept.join(", ")}. Later versions must open the data of every ` +
    "release, so released fixtures never change. Raise the version in package.json first. " +
    `If ${release} was never released, replace them with: npm run fixture -- --force`
  );
}

function fileName(release: string, engine: Engine): string {
  return `${release}.${engine}.json.gz`;
}

/** The name of a release's backup, made from the data folder of its SQLite fixture. */
export function backupName(release: string): string {
  return `${release}.sqlite.backup`;
}

async function makeAll(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, backupName(version)), { force: true });
  for (const engine of fixtureEngines) {
    const fixture = await make(engine);
    const path = join(folder, fileName(version, engine));
    writeFileSync(path, Bun.gzipSync(JSON.stringify(fixture), { level: 9 }));
    process.stdout.write(`${path}: ${statSync(path).size} bytes\n`);
  }
  // A handle of the last PostgreSQL server would keep the process alive.
  process.exit(0);
}

async function make(engine: Engine): Promise<ReleaseFixture> {
  const first = await startServer({}, engine);
  await fill(first);
  const clicks: Record<string, number> = { plain: 0, rules: 0, secret: 0 };
  await visit(first, storedVisits, clicks);
  await eventually(
    async () => (await first.call("GET", "/analytics/clicks?interval=all")).body,
    (body) => JSON.stringify(body).includes(`"clicks":${storedVisits}`),
  );
  await first.end("SIGTERM");
  const holder = await holdStore(first);
  const second = await first.restart();
  await visit(second, waitingVisits, clicks);
  await second.end("SIGKILL");
  holder.kill("SIGKILL");
  await holder.exited;
  const url = first.environment.WAYPOST_DATABASE_URL;
  const fixture: ReleaseFixture = {
    release: version,
    files: filesOf(first.data),
    tables: url === undefined ? {} : await rowsOf(url),
    expected: { clicks, emails: ["colleague@example.com"] },
  };
  if (engine === "sqlite") await backUp(second, join(folder, backupName(version)));
  await second.remove();
  return fixture;
}

async function backUp(stopped: TestService, path: string): Promise<void> {
  const { code, stderr } = await waypost(["backup", path], stopped);
  if (code !== 0) throw new Error(stderr);
}

/** Links, a domain, a tag, a folder, a setting and a second user. */
async function fill(server: TestService): Promise<void> {
  const post = async (path: string, body: object, method = "POST") => {
    const { status, body: answer } = await server.call(method, path, { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  };
  await post("/tags", { name: "spring" });
  await post("/folders", { name: "Campaigns" });
  await post("/domains", { slug: "go.example.com" });
  await post("/links", { url: "https://example.com/plain", key: "plain", tagNames: ["spring"], comments: "kept" });
  const ios = "https://example.com/ios";
  await post("/links", { url: "https://example.com/rules?utm_source=poster", key: "rules", ios, externalId: "ext-7" });
  await post("/links", { url: "https://example.com/secret", key: "secret", password: "open sesame" });
  const { code, stderr } = await waypost(["user", "create", "--email", "colleague@example.com", "--join", "1"], server);
  if (code !== 0) throw new Error(stderr);
}

async function visit(server: TestService, visits: number, clicks: Record<string, number>): Promise<void> {
  for (let number = 0; number < visits; number++) {
    const key = keys[number % keys.length] ?? "plain";
    const path = key === "secret" ? "/secret?pw=open%20sesame" : `/${key}`;
    const agent = number % 4 === 0 ? `${browser["User-Agent"]} Variant/${number}` : browser["User-Agent"];
    const { status } = await server.visit(path, {
      headers: { "User-Agent": agent, Referer: "https://news.example/a" },
    });
    if (status !== 302) throw new Error(`${path}: ${status}`);
    clicks[key] = (clicks[key] ?? 0) + 1;
  }
}

/** Keeps the click store's file open in another process, so that clicks stay in the spool. */
async function holdStore({ data }: TestService): Promise<Bun.Subprocess> {
  const program = `
    const { lockFileWithin } = await import("./src/base/file-lock.ts").catch(() => ({}));
    await lockFileWithin?.(process.argv[1] + ".lock", 0);
    const { DuckDBInstance } = await import("@duckdb/node-api");
    await (await DuckDBInstance.create(process.argv[1])).connect();
    process.stdout.write("held");
    setInterval(() => {}, 60_000);`;
  const child = Bun.spawn([process.execPath, "--no-install", "--eval", program, join(data, "clicks.duckdb")], {
    cwd: repository,
    stdout: "pipe",
  });
  await child.stdout.getReader().read();
  return child;
}

/** The files of a data folder, except those of a running process and those derived from other files. */
function filesOf(data: string): Record<string, string> {
  const excluded = /\.(sock|lock|lock-journal)$|^(lookup|exports)\/|-shm$/;
  const paths = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(data, join(entry.parentPath, entry.name)))
    .filter((path) => !excluded.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(data, path)).toString("base64")]));
}

async function rowsOf(url: string): Promise<Record<string, unknown[]>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: names } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const tables: Record<string, unknown[]> = {};
    for (const { name } of names) {
      const { rows } = await client.query<{ row: unknown }>(`select row_to_json(t) as row from "${name}" t`);
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  } finally {
    await client.end();
  }
}
