/** `waypost export clicks`, with and without a running service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Click } from "../src/clicks/click.ts";
import type { ExportFormat } from "../src/clicks/export.ts";
import { randomClicks, seededRandom } from "./support/clicks.ts";
import { waypost } from "./support/command.ts";
import { runInProcess } from "./support/command-in-process.ts";
import { asExported, readExport } from "./support/exported-clicks.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";
import { append, capturedClick, testSpool } from "./support/spools.ts";
import { insertClicks } from "./support/store-clicks.ts";
import { newTenant } from "./support/tenants.ts";

const june = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 4) };

let server: TestServer;
let folder = "";
let clicks: Click[] = [];
let otherWorkspace = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-export-command-"));
  const first = await startServer();
  otherWorkspace = (await newTenant(first)).workspaceId;
  await first.end("SIGTERM");
  clicks = randomClicks(seededRandom(20261124), 3_000, june, { workspaceId: 1 });
  await insertClicks(first.data, clicks);
  server = first;
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => waypost(["export", "clicks", ...args], { data: server.data });
const runHere = (...args: string[]) => runInProcess(["export", "clicks", ...args], { data: server.data });

describe.each(["without a service", "with a running service"])("%s", (situation) => {
  beforeAll(async () => {
    if (situation === "with a running service") server = await server.restart();
  });

  test.each(["csv", "jsonl", "parquet"] satisfies ExportFormat[])(
    "the format follows the file's extension: %s",
    async (format) => {
      const out = join(folder, `${situation.replaceAll(" ", "-")}.${format}`);

      const filters = ["--start", "2026-06-01", "--bots", "include", "--country", "-DE", "--utm-source", "-plain"];
      const { code, stdout, stderr } = await run("--out", out, "--workspace", "1", ...filters);

      const expected = clicks.filter(({ country, utm_source: source }) => country !== "DE" && source !== "plain");
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "" });
      expect(await readExport(format, out)).toEqual(asExported(expected));
      const total = expected.length.toLocaleString("en");
      expect(stderr).toMatch(new RegExp(`^${total} of ${total} clicks, [\\d.]+ MB, [\\d,]+ clicks/s in `));
    },
  );

  test("an existing file is kept, and replaced with --force", async () => {
    const out = join(folder, "kept.csv");
    writeFileSync(out, "mine");

    const refused = await runHere("--out", out, "--workspace", "1");
    const kept = readFileSync(out, "utf8");
    const forced = await runHere("--out", out, "--workspace", "1", "--force");

    expect([refused.code, refused.stderr, kept]).toEqual([
      1,
      `waypost: ${out} already exists. Choose another file, or replace it with --force.\n`,
      "mine",
    ]);
    expect([forced.code, readFileSync(out, "utf8").startsWith("id,timestamp,")]).toEqual([0, true]);
  });

  test("an invalid export fails with one line, and leaves no file", async () => {
    const out = join(folder, "none.csv");
    const cases: [string[], string][] = [
      [["--out", out], `Choose a workspace with --workspace: 1 (`],
      [["--out", out, "--workspace", "999"], "No workspace was found here"],
      [["--out", out, "--workspace", "1", "--format", "xml"], "format: must be one of csv, jsonl, parquet"],
      [["--out", out, "--workspace", "1", "--link", "link_none"], "No link was found here"],
      [["--out", join(folder, "no/folder.csv"), "--workspace", "1"], "There is no folder"],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runHere(...args);

      expect({ words: args, code, stderr, isTold: stderr.includes(message) }).toMatchObject({
        code: 1,
        isTold: true,
      });
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes(".part-"))).toEqual([]);
    // The file of an earlier export is removed soon after its end.
    const files = async () => readdirSync(join(server.data, "exports"));
    await eventually(files, (names) => names.length === 0);
    expect(otherWorkspace).toBeGreaterThan(1);
  });
});

test("without a service, the command says whether clicks wait in the spool", async () => {
  const stopped = await startServer();
  await stopped.end("SIGTERM");
  const exported = async (name: string) => {
    const args = ["export", "clicks", "--workspace", "1", "--out", join(folder, name)];
    return (await waypost(args, { data: stopped.data })).stderr;
  };

  const before = await exported("before.csv");
  const spool = testSpool(join(stopped.data, "spool"));
  await append(spool, capturedClick(1));
  spool.close();
  const after = await exported("after.csv");

  expect(before).not.toContain("spool");
  expect(after).toContain("The export does not contain the clicks that wait in the spool");
  await stopped.remove();
});
