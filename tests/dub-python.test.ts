/**
 * Dub's Python SDK (`dub` on PyPI) against a running server; only `server_url` is changed.
 *
 * Needs a Python with that package: DUB_PYTHON, by default `python3`. Without the package, the test is skipped with a
 * message. Continuous integration sets DUB_PYTHON, and then a missing package is a failure.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ownerKey, startServer, type TestServer } from "./support/server.ts";

const python = process.env["DUB_PYTHON"] ?? "python3";
const isRequired = process.env["DUB_PYTHON"] !== undefined;
const importMsMax = 30_000;
const script = join(import.meta.dir, "support/dub-sdk.py");

function hasPackage(): boolean {
  try {
    return Bun.spawnSync([python, "-c", "import dub"], { timeout: importMsMax }).exitCode === 0;
  } catch {
    return false; // The program does not exist.
  }
}

const isSkipped = !isRequired && !hasPackage();
if (isSkipped) console.warn(`Skipped: ${python} has no package "dub". Install it from PyPI, or set DUB_PYTHON.`);

let server: TestServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => server.remove());

test.skipIf(isSkipped)("every method of Dub's Python SDK works", async () => {
  const child = Bun.spawn([python, script, `${server.url}/v1`, ownerKey], { stdout: "pipe", stderr: "pipe" });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);

  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  expect(JSON.parse(output)).toEqual({
    domains: ["python.example.com"],
    placeholder: "https://example.com",
    tags: ["Python"],
    tag: "Python 3",
    folders: ["Python"],
    folder: "Python 3",
    isFound: true,
    listed: ["python"],
    // With the root links of two domains.
    count: 3,
    title: "A title",
    comments: "upserted",
    isUpserted: true,
    archived: [true, true],
    deletedCount: 2,
    clicks: 0,
    countries: 0,
    events: 0,
    hasImage: true,
    deleted: [true, true, true, true],
  });
});
