import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { problemOf } from "../../tests/support/problem-of.ts";
import { eventually } from "../../tests/support/server.ts";
import { appendTick, capturedClicks, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import type { ClickExport } from "./export.ts";
import { type Pipeline, startPipeline } from "./pipeline.ts";
import type { ClickQuery } from "./query.ts";
import type { Spool } from "./spool.ts";

const countAll: ClickQuery = {
  workspaceId: 1,
  from: 0,
  to: Date.UTC(2030, 0, 1),
  bots: "include",
  filters: [],
  grouping: { kind: "count" },
};

const noUsage = { residentBytes: 0, cpuSeconds: 0 };
const exportAll: ClickExport = { selection: countAll, format: "jsonl", domains: [] };

let folder: ReturnType<typeof spoolFolder>;
let spool: Spool;
let pipeline: Pipeline;
let path = "";

beforeEach(() => {
  folder = spoolFolder();
  spool = testSpool(folder.directory);
  path = join(dirname(folder.directory), "store", "clicks.duckdb");
  mkdirSync(dirname(path));
  pipeline = startPipeline({ engine: "duckdb", path, threads: 1 });
});
afterEach(async () => {
  // A test may have closed it already.
  await pipeline.close().catch(() => {});
  spool.close();
  folder.remove();
});

function location() {
  return { spoolId: spool.id, directory: folder.directory };
}

async function append(from: number, to: number): Promise<void> {
  await appendTick(spool, capturedClicks(from, to));
}

async function count(among: Pipeline = pipeline): Promise<number> {
  const rows = await among.query(countAll);
  return rows.reduce((sum, { clicks }) => sum + clicks, 0);
}

test("a click is in the answer of a query after its ingest has resolved", async () => {
  await append(0, 10);

  await pipeline.ingest(location());

  expect(await count()).toBe(10);
  expect(await pipeline.cursor(spool.id)).toBe(spool.end());
});

test("queries during an ingest are answered, and never see part of a batch", async () => {
  await append(0, 4_000);

  const ingesting = pipeline.ingest(location());
  const counts = await Promise.all(Array.from({ length: 20 }, () => count()));
  await ingesting;

  expect(counts.filter((clicks) => clicks !== 0 && clicks !== 4_000)).toEqual([]);
  expect(await count()).toBe(4_000);
});

describe("a store that cannot be opened", () => {
  let blocked: Pipeline;

  beforeEach(() => {
    blocked = startPipeline({
      engine: "duckdb",
      path: join(dirname(folder.directory), "later", "clicks.duckdb"),
      threads: 1,
    });
  });
  afterEach(() => blocked.close());

  test("fails every call as unavailable, and works soon after it can be opened", async () => {
    await append(0, 10);

    for (const call of [() => blocked.cursor(spool.id), () => blocked.ingest(location()), () => count(blocked)]) {
      expect(await problemOf(call())).toMatchObject({ code: "unavailable" });
    }
    expect(await blocked.usage()).toBeUndefined();
    mkdirSync(join(dirname(folder.directory), "later"));

    await eventually(
      () => problemOf(blocked.cursor(spool.id)),
      (problem) => problem === undefined,
    );
    expect(await blocked.ingest(location())).toMatchObject({ stored: 10 });
    expect(await count(blocked)).toBe(10);
  });

  test("reports the number of dropped clicks and the time of the first one", async () => {
    const dropped = () => ({ clicks: 149, since: Date.UTC(2026, 10, 23) });
    const path = join(dirname(folder.directory), "later", "clicks.duckdb");
    const dropping = startPipeline({ engine: "duckdb", path, threads: 1 }, { dropped });

    const problem = await problemOf(dropping.cursor(spool.id));
    await dropping.close();

    expect(problem?.message).toEndWith("up to a limit; clicks dropped since 2026-11-23T00:00:00.000Z: 149.");
  });

  test("reveals no files or engines in public messages", async () => {
    const problem = await problemOf(blocked.cursor(spool.id));

    expect(problem?.message).toBe(
      "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit.",
    );
  });
});

test("a failed ingest does not block other calls, and continues once its cause is gone", async () => {
  await append(0, 10);
  await pipeline.ingest(location());
  const absent = { spoolId: spool.id, directory: join(path, "no-folder") };

  const failed = await problemOf(pipeline.ingest({ ...absent, directory: path }));
  const during = await Promise.all([count(), count(), pipeline.cursor(spool.id)]);
  await append(10, 20);
  const after = await pipeline.ingest(location());

  expect(failed).toMatchObject({ code: "unavailable" });
  expect(during.slice(0, 2)).toEqual([10, 10]);
  expect(after).toMatchObject({ stored: 10, cursor: spool.end() });
  expect(await count()).toBe(20);
});

test("calls beyond the limit are refused at once, and the others are answered", async () => {
  const calls = Array.from({ length: 1_200 }, () => pipeline.cursor(spool.id));

  const outcomes = await Promise.allSettled(calls);

  const refused = outcomes.filter(({ status }) => status === "rejected").length;
  expect(refused).toBeGreaterThanOrEqual(200);
  expect(refused).toBeLessThan(210);
  expect(await pipeline.cursor(spool.id)).toBe(0);
});

describe("an export through the process", () => {
  const files = async () => readdirSync(join(dirname(path), "exports"));
  const areNone = (names: string[]) => names.length === 0;

  test("has every stored click, their number and its length, and leaves no file", async () => {
    await append(0, 10);
    await pipeline.ingest(location());

    const { clicks, length, stream } = await pipeline.export(exportAll, new AbortController().signal);
    const text = await new Response(stream).text();

    expect([clicks, text.split("\n").length - 1, await length]).toEqual([10, 10, Buffer.byteLength(text)]);
    await eventually(files, areNone);
  });

  test("fails when it is aborted or its reader cancels it, and leaves no file", async () => {
    const aborting = new AbortController();
    const cancelled = await pipeline.export(exportAll, aborting.signal);
    const aborted = await pipeline.export(exportAll, aborting.signal);

    await cancelled.stream.cancel();
    aborting.abort(new Error("The client has gone."));

    await expect(new Response(aborted.stream).text()).rejects.toThrow("The client has gone.");
    await eventually(files, areNone);
  });
});

test("an aborted maintenance changes nothing, and the next one does everything", async () => {
  await append(0, 10);
  await pipeline.ingest(location());
  await pipeline.erase({ workspaceId: countAll.workspaceId });
  const aborting = new AbortController();

  const aborted = pipeline.maintain(aborting.signal);
  aborting.abort();

  expect(await aborted).toBe(false);
  expect(await pipeline.maintain(aborting.signal)).toBe(false);
  expect(await pipeline.maintain(new AbortController().signal)).toBe(true);
});

test("an idle process ends once exports have ended, and the next call is answered by another one", async () => {
  await append(0, 10);
  await pipeline.ingest(location());
  const { stream } = await pipeline.export(exportAll, new AbortController().signal);

  await pipeline.pauseIfIdle(0);
  const whileExporting = await pipeline.usage();
  await stream.cancel();
  await pipeline.pauseIfIdle(0);

  expect(whileExporting?.residentBytes).toBeGreaterThan(0);
  expect(await pipeline.usage()).toEqual(noUsage);
  expect(await count()).toBe(10);
});

test("a process with recent work stays", async () => {
  await count();

  await pipeline.pauseIfIdle();

  expect((await pipeline.usage())?.residentBytes).toBeGreaterThan(0);
});

test("maintenance starts no process", async () => {
  expect(await pipeline.maintain(new AbortController().signal)).toBe(false);

  expect(await pipeline.usage()).toEqual(noUsage);
});

test("closing a busy pipeline ends every running call, and the store contains whole batches only", async () => {
  await append(0, 30_000);

  const calls = [pipeline.ingest(location()), count(), pipeline.ingest(location()), count()];
  const settled = Promise.allSettled(calls);
  await pipeline.close();
  await settled;
  const restarted = startPipeline({ engine: "duckdb", path, threads: 1 });
  const [before, cursor] = [await count(restarted), await restarted.cursor(spool.id)];
  while ((await restarted.ingest(location())).stored > 0);
  const after = await count(restarted);
  await restarted.close();

  expect({ before, after }).toEqual({ before: cursor === 0 ? 0 : before, after: 30_000 });
});

test("a closed pipeline refuses calls at once", async () => {
  await pipeline.close();

  expect(await problemOf(pipeline.cursor(spool.id))).toMatchObject({ code: "unavailable" });
});

test("closing leaves the file and its lock, but no log to replay", async () => {
  await append(0, 10);
  await pipeline.ingest(location());

  await pipeline.close();

  expect(readdirSync(dirname(path)).sort()).toEqual(["clicks.duckdb", "clicks.duckdb.lock", "exports"]);
});
