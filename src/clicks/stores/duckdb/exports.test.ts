import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import { day, everything } from "../../../../tests/support/store-conformance/tested-store.ts";
import type { ClickExport } from "../../export.ts";
import type { ClickStore } from "../../store.ts";
import { openDuckDbStore } from "./duckdb-store.ts";

const request: ClickExport = { selection: { ...everything, workspaceId: 1 }, format: "jsonl", domains: [] };

let data = "";
let folder = "";
let store: ClickStore;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "waypost-exports-"));
  folder = join(data, "exports");
  mkdirSync(folder);
  writeFileSync(join(folder, "left.csv"), "a part");
  store = await openDuckDbStore({ path: join(data, "clicks.duckdb"), threads: 1 });
  const rows = randomClicks(seededRandom(20261123), 3_000, day, { workspaceId: 1 });
  await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
});
afterEach(async () => {
  await store.close();
  rmSync(data, { recursive: true });
});

test("a file that a killed process left is removed when the store is opened", () => {
  expect(readdirSync(folder)).toEqual([]);
});

test("no other user can read an export's file or list the folder", async () => {
  const { length, stream } = await store.export(request, new AbortController().signal);
  await length;

  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const modes = [folder, ...paths.sort()].map(modeOf);

  await stream.cancel();
  await expectEmpty();
  expect(modes).toEqual([0o700, 0o700, 0o600]);
});

test("the file is removed when the stream was read, when it is cancelled, and when the export is aborted", async () => {
  const aborting = new AbortController();
  for (const end of [
    (stream: ReadableStream) => new Response(stream).arrayBuffer(),
    (stream: ReadableStream) => stream.cancel(),
    () => aborting.abort(),
  ]) {
    const { stream } = await store.export(request, aborting.signal);
    // There may be a second file, since DuckDB may create the previous one again until its writer has ended.
    expect(readdirSync(folder)).not.toEqual([]);

    await end(stream);

    await expectEmpty();
  }
});

test("the files of unread exports are removed when the store closes", async () => {
  const written = await store.export(request, new AbortController().signal);
  await written.length;
  const begun = await store.export(request, new AbortController().signal);

  await store.close();

  expect(readdirSync(folder)).toEqual([]);
  await Promise.allSettled([written, begun].map(({ stream }) => stream.cancel()));
  store = await openDuckDbStore({ path: join(data, "clicks.duckdb"), threads: 1 });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Files are removed in the background. */
async function expectEmpty(): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline && readdirSync(folder).length > 0) await Bun.sleep(5);
  expect(readdirSync(folder)).toEqual([]);
}
