import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import { columnsOf, countUrls } from "../../../../tests/support/exported-clicks.ts";
import { day, everything } from "../../../../tests/support/store-conformance/tested-store.ts";
import type { ClickExport } from "../../export.ts";
import type { ClickStore } from "../../store.ts";
import { exportColumns } from "../export-columns.ts";
import { openDuckDbStore } from "./duckdb-store.ts";

const request: ClickExport = { selection: { ...everything, workspaceId: 1 }, format: "jsonl", domains: [] };

/** More than one part of an export. */
const manyClicks = 112_000;
const insertedAtOnce = 28_000;

let data = "";
let folder = "";
let store: ClickStore;

beforeEach(async () => {
  // A path with a `=`, which DuckDB could take for a column.
  data = mkdtempSync(join(tmpdir(), "waypost=exports-"));
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

test("an export of clicks that all have their own URL needs memory for a part of them alone", async () => {
  await store.close();
  const path = join(data, "clicks.duckdb");
  store = await openDuckDbStore({ path, threads: 1, memoryMax: "112MB" });
  await insertMany();
  for (const format of ["csv", "parquet"] as const) {
    const signal = new AbortController().signal;
    const { clicks, length, stream } = await store.export(
      { selection: { ...everything, workspaceId: 2 }, format, domains: [] },
      signal,
    );
    const file = join(data, `export.${format}`);
    await length;
    expect(readdirSync(folder, { recursive: true }).filter((name) => name.includes("part-"))).toEqual([]);
    await Bun.write(file, new Response(stream));

    expect({ format, clicks }).toEqual({ format, clicks: manyClicks });
    expect(await countUrls(format, file)).toBe(manyClicks);
    expect(await columnsOf(format, file)).toEqual([...exportColumns]);
    await expectEmpty();
  }
}, 60_000);

test.each(["csv", "parquet"] as const)(
  "an export as %s that is aborted between its parts fails and leaves nothing",
  async (format) => {
    await insertMany();
    const aborting = new AbortController();
    const selection = { ...everything, workspaceId: 2 };
    const { stream, length } = await store.export({ selection, format, domains: [] }, aborting.signal);
    const failed = length.then(
      () => false,
      () => true,
    );
    while (!readdirSync(folder, { recursive: true }).join().includes("part-1")) await Bun.sleep(1);

    aborting.abort(new Error("The client left."));

    expect(new Response(stream).arrayBuffer()).rejects.toThrow("The client left.");
    expect(await failed).toBe(true);
    await expectEmpty();
  },
  60_000,
);

test("the files of unread exports are removed when the store closes", async () => {
  const written = await store.export(request, new AbortController().signal);
  await written.length;
  const begun = await store.export(request, new AbortController().signal);

  await store.close();

  expect(readdirSync(folder)).toEqual([]);
  await Promise.allSettled([written, begun].map(({ stream }) => stream.cancel()));
  store = await openDuckDbStore({ path: join(data, "clicks.duckdb"), threads: 1 });
});

/** Inserts clicks of workspace 2 that each have another URL. */
async function insertMany(): Promise<void> {
  const clicks = randomClicks(seededRandom(20261128), manyClicks, day, { workspaceId: 2, bot: "" });
  const own = clicks.map((click, index) => ({ ...click, url: `https://shop.example/?gclid=${index}-${click.id}` }));
  for (let from = 0; from < manyClicks; from += insertedAtOnce) {
    const cursor = { spoolId: "spool_b", from, to: from + insertedAtOnce };
    await store.insert(cursor, own.slice(from, from + insertedAtOnce));
  }
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Files are removed in the background. */
async function expectEmpty(): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline && readdirSync(folder).length > 0) await Bun.sleep(5);
  expect(readdirSync(folder)).toEqual([]);
}
